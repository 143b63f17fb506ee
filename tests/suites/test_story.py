"""The story suite: graph and eager give the same, the tables of tell.py are right on invented numbers."""
import os
import pathlib
import subprocess
import sys
import unittest

SUITE = pathlib.Path(os.environ["TARE_SOURCE"]) / "suites" / "story"
sys.path.insert(0, str(SUITE))
import tell  # noqa: E402


def mode(name, matmul, rest):
    op = lambda op_name, kind, ns: {"name": op_name, "kind": kind, "duration_ns": ns}
    return {"mode": name, "ops": [op("matmul", "matmul", matmul), op("layer_norm", "other", rest)]}


def told(way, matmul, rest, graph_rest):
    return {"benchmark": f"mlp/matmul={way}/mode=eager/rows=8/width=4", "predicted_gain": 1.5,
            "measured_gain": {"point": 1.25, "low": None, "high": None},
            "modes": [mode("eager", matmul, rest), mode("graph", matmul, graph_rest)]}


class Suite(unittest.TestCase):
    def test_small_benchmarks_compute_the_right_thing(self):
        # A benchmark whose graph and eager results differ fails the run.
        result = subprocess.run([os.environ["TARE"], "run", os.environ["TARE_STORY"], "--filter", "^(mlp/.*width=64|batch/.*rows=(1|64)$)",
                                 "--processes", "2", "--samples", "2", "--meters", "none", "--no-store"],
                                capture_output=True, text=True, timeout=500)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for way in ("plain", "blas", "int8"):
            self.assertRegex(result.stdout, f"matmul={way}")
        self.assertNotIn("skipped", result.stdout)


class Tell(unittest.TestCase):
    def test_the_threads_own_numbers(self):
        # 85 of 100 become 10 of 25.
        text = tell.shares([told("plain", 85e6, 15e6, 5e6), told("blas", 10e6, 15e6, 5e6)])
        self.assertIn("| plain | 85 ms | 15 ms | 85 % | 1.0 | 85 % | +0.0 | 0 ms | 90 ms | 94 % | 1.50 | 1.25 |", text)
        self.assertIn("| blas | 10 ms | 15 ms | 40 % | 8.5 | 40 % | +0.0 | 0 ms | 15 ms | 67 % | 1.50 | 1.25 |", text)

    def test_a_wrong_prediction_shows(self):
        self.assertIn("-10.0", tell.shares([told("plain", 85e6, 15e6, 5e6), told("blas", 10e6, 10e6, 5e6)]))

    def test_the_knee(self):
        self.assertAlmostEqual(tell.knee([(1, 10), (2, 10), (4, 10), (64, 80)]), 8)

    def test_the_ridge_is_of_the_level_that_holds_the_bytes(self):
        roofs = {"peaks": [{"flops_per_s": 1e11}], "bandwidths": [{"level": "L2", "bytes_per_s": 1e11, "holds_bytes": 100},
                                                                  {"level": "DRAM", "bytes_per_s": 1e10, "holds_bytes": 0}]}
        found = {f"repeat_multiply/count=1000/repeats={r}": t for r, t in ((1, 800), (2, 800), (64, 6400))}
        text = tell.sweep(found, roofs)
        self.assertIn("| 64 | 8 | 0.0064 ms | 8.00 | 10.0 | 1.2 |", text)
        self.assertIn("knee is at 8 multiplications, 1.00 flop/B", text)
        self.assertIn("10.0 GB/s from DRAM) is 10.00 flop/B", text)

    def test_doubling(self):
        found = {f"batch/mode={m}/rows={r}": t for m in ("eager", "graph") for r, t in ((1, 1000), (2, 1050), (4, 2000))}
        text = tell.doubling(found)
        self.assertIn("| 1 → 2 | 1 µs | +5 % | 95 % |", text)
        self.assertIn("| 2 → 4 | 1.05 µs | +90 % | 10 % |", text)


if __name__ == "__main__":
    unittest.main()
