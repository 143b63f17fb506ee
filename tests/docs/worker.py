#!/usr/bin/env python3
"""A tare worker in Python: sorts lists, and times itself. docs/protocol.md explains each step."""
import json
import os
import random
import socket
import time

SIZES = ["100", "1000"]
stream = socket.socket(fileno=int(os.environ["TARE_WORKER_FD"])).makefile("rw")
data = []


def answer(request):
    global data
    if request["do"] == "list":
        return {"ok": [{"name": "python/sorted", "parameters": [["n", n]]} for n in SIZES]}
    if request["do"] == "prepare":
        n = int(dict(request["benchmark"]["parameters"])["n"])
        random.seed(request["seed"])
        data = [random.random() for _ in range(n)]
        return {"ok": {"workload": {"shape": [n], "dtype": "f64", "seed": request["seed"]}, "items": n,
                       "has_check": True, "told": True}}
    if request["do"] == "check":
        random.seed(request["seed"])
        fresh = sorted(random.sample(range(10**6), 100))
        return {"ok": {"passed": all(a < b for a, b in zip(fresh, fresh[1:]))}}
    if request["do"] == "sample":
        return {"ok": [{"totals": [timed(request["iterations"])]} for _ in range(request["count"])]}
    if request["do"] == "meter":
        return {"ok": []}
    if request["do"] == "finish":
        return {"ok": {"counters": []}}
    return {"failed": "no such request: " + request["do"]}


def timed(iterations):
    begun = time.perf_counter_ns()
    for _ in range(iterations):
        sorted(data)
    return time.perf_counter_ns() - begun


def say(message):
    stream.write(json.dumps(message) + "\n")
    stream.flush()


say({"tare": 1, "build": {"compiler": "Python", "type": "optimised"}})
for line in stream:
    if json.loads(line)["do"] == "quit":
        break
    say(answer(json.loads(line)))
