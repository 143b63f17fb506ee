#!/usr/bin/env python3
"""How much of a run's wall time is not the benchmark's own: python3 share.py TARE BINARY FILTER [OPTION…]

Runs tare at its default budget and prints 1 - (time inside samples) / (wall time). Calibration, the first cold call
and the meters' passes run the body too but are not samples: they count as harness here, so this is an upper bound.
"""
import json
import subprocess
import sys
import tempfile
import time

tare, binary, pattern, *options = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    begun = time.monotonic()
    result = subprocess.run([tare, "run", binary, "--filter", pattern, "--precision", "0.0001%", "--store",
                             f"{folder}/results.db", "--format", "json", *options], capture_output=True, text=True, check=True)
    wall = time.monotonic() - begun
inside = 0.0
for benchmark in json.loads(result.stdout)["benchmarks"]:
    time_metric = next(m for m in benchmark["metrics"] if m["name"] == "time")
    inside += sum(s["total"] for s in time_metric["samples"]) / 1e9
print(f"{wall:.2f} s of wall time, {inside:.2f} s inside samples: the rest is {100 * (1 - inside / wall):.1f} %")
