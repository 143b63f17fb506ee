"""Recording and sweep execute instructions in proportion to n, from 10 to 1,000,000: counted by valgrind, not timed."""
import math
import os
import re
import shutil
import subprocess
import unittest

SIZES = [10, 100, 1000, 10_000, 100_000, 1_000_000]


def instructions(what, part, n):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         f"--toggle-collect={part}", os.environ["TARE_STEPS"], what, str(n)],
        # One instruction that clears a whole array counts in valgrind as one for each byte: the C library clears by plain stores.
        env={**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.x86_rep_stosb_threshold={1 << 40}"},
        capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return int(re.search(r"Collected\s*:\s*(\d+)", result.stderr)[1])


def exponent(counts):
    """The slope of log count in log n, by least squares."""
    x = [math.log(n) for n in SIZES]
    y = [math.log(c) for c in counts]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is absent")
class Linear(unittest.TestCase):
    def test_exponents(self):
        for what in ("real", "tape"):
            for part in ("record_part", "sweep_part"):
                with self.subTest(what=what, part=part):
                    counts = [instructions(what, part, n) for n in SIZES]
                    slope = exponent(counts)
                    print(f"{what} {part}: {counts}, exponent {slope:.4f}")
                    self.assertAlmostEqual(slope, 1, delta=0.01)
                    # Beyond the fixed part every step costs the same.
                    steps = [(b - a) / (m - n) for n, m, a, b in zip(SIZES[2:], SIZES[3:], counts[2:], counts[3:])]
                    self.assertLess(max(steps) / min(steps), 1.01)


if __name__ == "__main__":
    unittest.main()
