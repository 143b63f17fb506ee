#!/usr/bin/env python3
"""Writes data/digits.txt from the digits.csv.gz of Debian's python3-sklearn: tools/make_digits.py > data/digits.txt

One line per image: the digit, a blank, and 64 letters, row by row: a is 0, q is 16.
"""
import gzip
import sys

SOURCE = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"

with gzip.open(sys.argv[1] if len(sys.argv) > 1 else SOURCE, "rt") as lines:
    for line in lines:
        *pixels, digit = (int(float(value)) for value in line.split(","))
        print(digit, "".join(chr(ord("a") + pixel) for pixel in pixels))
