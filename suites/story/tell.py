#!/usr/bin/env python3
"""Measures the story suite and prints its tables as Markdown. Usage: tell.py FOLDER_OF_BINARIES [more options of tare run]

For each way to compute products: how much of the time of products, layer norm and ReLU they take eagerly and as a graph, whether the rest stays the same, and
whether the what-if of tare explain, asked of the slowest way, foretells the shares of the others.
"""
import json
import pathlib
import subprocess
import sys


def tare(folder, command, pattern, *options):
    result = subprocess.run([folder / "tare", command, folder / "story", "--filter", pattern, "--format", "json", "--no-store",
                             *options], stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ms(ns):
    return f"{ns / 1e6:.3g} ms"


def percent(share):
    return f"{100 * share:.0f} %"


def parameters(name):
    return dict(part.split("=") for part in name.split("/")[1:])


def split(mode):
    """(products, layer norm and ReLU, what else there is) of eager mode in nanoseconds."""
    times = {"matmul": 0.0, "norms": 0.0, "else": 0.0}
    for op in mode["ops"]:
        part = "matmul" if op["kind"] == "matmul" else "norms" if op["name"] in ("layer_norm", "relu") else "else"
        times[part] += op["duration_ns"]
    return tuple(times.values())


def foretold(matmul, rest, k):
    return matmul / k / (matmul / k + rest)


def shares(breakdowns):
    """One table a width; `breakdowns` are those of tare explain."""
    by_width = {}
    for told in breakdowns:
        chosen = parameters(told["benchmark"])
        by_width.setdefault(chosen["width"], {})[chosen["matmul"]] = told
    text = ""
    for width, ways in sorted(by_width.items(), key=lambda entry: int(entry[0])):
        rows = []
        slow, slow_norms, _ = split(ways["plain"]["modes"][0])
        for way, told in ways.items():
            eager, graph = told["modes"]
            matmul, norms, quantising = split(eager)
            share = matmul / (matmul + norms)
            graph_total = sum(split(graph))
            k = slow / matmul
            guess = foretold(slow, slow_norms, k)
            gain = told["measured_gain"]
            interval = f" [{gain['low']:.2f}, {gain['high']:.2f}]" if gain.get("low") is not None else ""
            rows.append([way, ms(matmul), ms(norms), percent(share), f"{k:.1f}", percent(guess), f"{100 * (guess - share):+.1f}",
                         ms(quantising), ms(graph_total), percent(split(graph)[0] / graph_total),
                         f"{told['predicted_gain']:.2f}", f"{gain['point']:.2f}{interval}"])
        text += f"Width {width}:\n\n" + table(
            ["products by", "matmul", "layer norm and ReLU", "matmul's share of both", "k", "share foretold", "off by, points",
             "quantising", "graph", "matmul's share of it", "gain foretold", "gain measured"], rows) + "\n"
    return text


def times(run):
    """Name → nanoseconds, of those that have a time."""
    found = {}
    for result in run["benchmarks"]:
        for metric in result["metrics"]:
            if metric["name"] == "time" and metric["summary"].get("time"):
                found[result["full_name"]] = metric["summary"]["time"]["point"]
    return found


def knee(points):
    """Repeats at which the flat part meets the line through the origin of the longest time."""
    flat = min(time for _, time in points)
    repeats, longest = max(points)
    return flat / (longest / repeats)


def sweep(found, roofs, bytes_each=8):
    points = sorted((int(parameters(name)["repeats"]), time) for name, time in found.items())
    count = int(parameters(next(iter(found)))["count"])
    rows = [[str(r), f"{r / bytes_each:.3g}", ms(t), f"{t / min(points, key=lambda p: p[1])[1]:.2f}", f"{r * count / t:.1f}",
             f"{bytes_each * count / t:.1f}"] for r, t in points]
    text = table(["multiplications", "flop/B", "time", "÷ the fastest", "Gflop/s", "GB/s"], rows)
    peak = roofs["peaks"][0]["flops_per_s"]
    # The fastest level that holds all the bytes.
    level = next(b for b in roofs["bandwidths"] if b["holds_bytes"] == 0 or b["holds_bytes"] >= bytes_each * count)
    memory = level["bytes_per_s"]
    return text + (f"\nThe knee is at {knee(points):.0f} multiplications, {knee(points) / bytes_each:.2f} flop/B. The ridge point of the "
                   f"roofs ({peak / 1e9:.1f} Gflop/s by multiply-adds, {memory / 1e9:.1f} GB/s from {level['level']}) is "
                   f"{peak / memory:.2f} flop/B; multiplications without additions reach at most half of that peak: "
                   f"{peak / 2 / memory:.2f} flop/B.\n")


def pairs(found):
    rows = []
    for op in dict.fromkeys(parameters(name)["op"] for name in found):
        of = {(parameters(n)["calls"], parameters(n)["mode"]): t for n, t in found.items() if parameters(n)["op"] == op}
        rows.append([op, ms(of["1", "eager"]), ms(of["2", "eager"]), ms(of["1", "graph"]), ms(of["2", "graph"]),
                     f"{of['2', 'eager'] / of['2', 'graph']:.2f}", f"{of['2', 'graph'] / of['1', 'graph']:.2f}"])
    return table(["pair", "one, eager", "two, eager", "one, graph", "two, fused", "two eager ÷ fused", "two fused ÷ one"], rows)


def doubling(found):
    rows = []
    sizes = sorted({int(parameters(name)["rows"]) for name in found})
    for rows_before, rows_after in zip(sizes, sizes[1:]):
        line = [f"{rows_before} → {rows_after}"]
        for mode in ("eager", "graph"):
            of = {int(parameters(n)["rows"]): t for n, t in found.items() if parameters(n)["mode"] == mode}
            growth = of[rows_after] / of[rows_before] - 1
            line += [f"{of[rows_before] / 1e3:.3g} µs", f"{100 * growth:+.0f} %", percent(min(1, max(0, 1 - growth)))]
        rows.append(line)
    return table(["rows", "eager", "twice the rows", "does not grow", "graph", "twice the rows", "does not grow"], rows)


def main():
    if len(sys.argv) < 2 or not (pathlib.Path(sys.argv[1]) / "story").exists():
        sys.exit(f"{__doc__}\nExample: python3 suites/story/tell.py build/release/bin --budget 1s")
    folder = pathlib.Path(sys.argv[1]).resolve()
    options = sys.argv[2:]
    explained = tare(folder, "explain", "^mlp/.*mode=eager", "--repeat", "31")["breakdowns"]
    print("## Matmul against the rest\n\n" + shares(explained))
    run = lambda pattern: times(tare(folder, "run", pattern, "--meters", "none", *options))
    print("## More and more flops on the same bytes\n\n" + sweep(run("^repeat_multiply/"), explained[0]["roofs"]))
    print("## Two operations, fused or not\n\n" + pairs(run("^pair/")))
    print("## Twice the batch\n\n" + doubling(run("^batch/")))


if __name__ == "__main__":
    main()
