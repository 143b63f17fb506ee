"""Writes budgets.toml: what our own engine may take at most, on metrics that are the same on every machine.

    tare run build/release/bin/scalar --filter "$(python3 suites/scalar/write_budgets.py --filter)" --processes 1 --samples 1 \
        --meters allocations --no-store --format json --out counts.json
    python3 suites/scalar/write_budgets.py counts.json >suites/scalar/budgets.toml

and instructions.toml, which takes valgrind and is of a few small ones, in the same way with --instructions, --filter-instructions and
`--meters instructions`.
"""
import json
import sys

ENGINES = "real|tape|preaccumulated|compiled|batch|kernel"
# Larger sizes repeat what these show and take long.
FILTER = rf"/engine=({ENGINES})/n=[0-9]{{1,4}}$"

# Without functions of the C library, whose instructions are the CPU's choice.
FILTER_INSTRUCTIONS = r"^(polynomial|product|brusselator|particle)/engine=(real|tape|compiled)/n=(8|10|100)$"

HEAD = f"""# What our own engine may take at most, on metrics that are exact: the same on every machine and in every run. Written by
# write_budgets.py from a run's counts; a change that needs more must say so here. Patterns match full names.
#   tare gate --baseline build/release/bin/scalar --budget suites/scalar/budgets.toml build/release/bin/scalar

[[budget]]
match = "/engine=({ENGINES})/"
allocations = {{ max = 0 }}
gradient_error = {{ max = 1e-9 }}
"""

HEAD_INSTRUCTIONS = """# How many instructions a gradient of our own engine may execute, counted by valgrind: what GCC 12 makes of it and a tenth. Written
# by write_budgets.py.
"""

# Bytes follow from the entries where an engine tells these.
COUNTS = ("tape_operations", "tape_entries", "tape_bytes")


def counts_of(benchmark):
    values = {}
    for metric in benchmark["metrics"]:
        if metric["name"] in COUNTS:
            values[metric["name"]] = f'{metric["summary"]["median"]["point"]:.0f}'
    if "tape_entries" in values:
        values.pop("tape_bytes")
    elif "tape_bytes" in values:
        values["tape_bytes"] = f'"{values["tape_bytes"]} B"'
    return values


def instructions_of(benchmark):
    return {metric["name"]: f'{1.1 * metric["summary"]["median"]["point"]:.0f}' for metric in benchmark["metrics"]
            if metric["name"] == "instructions"}


def budgets(run, head, limits_of):
    parts = [head]
    for benchmark in run["benchmarks"]:
        lines = [f"{name} = {{ max = {value} }}" for name, value in limits_of(benchmark).items()]
        if lines:
            parts.append("\n".join(["[[budget]]", f'match = "^{benchmark["full_name"]}$"', *lines]) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--filter"]:
        print(FILTER)
    elif sys.argv[1:] == ["--filter-instructions"]:
        print(FILTER_INSTRUCTIONS)
    elif len(sys.argv) == 3 and sys.argv[1] == "--instructions":
        with open(sys.argv[2]) as file:
            print(budgets(json.load(file), HEAD_INSTRUCTIONS, instructions_of), end="")
    elif len(sys.argv) == 2:
        with open(sys.argv[1]) as file:
            print(budgets(json.load(file), HEAD, counts_of), end="")
    else:
        sys.exit(__doc__)
