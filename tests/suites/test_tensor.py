"""The tensor suite: every small benchmark runs and its answer is right; every claim is about benchmarks that exist."""
import json
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

SUITE = pathlib.Path(os.environ["TARE_SOURCE"]) / "suites" / "tensor"
TENSOR = os.environ["TARE_TENSOR"]
SMALL = r"pool=1/size=(16|4096|64x64|64x64x64|16x32|32x10|32x64|1x8x16x16|128x256)$"


def names():
    listed = subprocess.run([TENSOR, "--list"], capture_output=True, text=True, check=True)
    return listed.stdout.split("\n")


class Suite(unittest.TestCase):
    def test_small_benchmarks_compute_the_right_thing(self):
        # A benchmark whose answer is wrong before or after timing fails the run.
        result = subprocess.run(
            [TENSOR, "--filter", SMALL, "--in-process", "--samples", "2", "--meters", "none"],
            capture_output=True, text=True, timeout=500)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for engine in ("eager", "torch", "openblas", "blis", "onednn"):
            self.assertTrue(any(f"engine={engine}/" in name for name in names()), engine)

    def test_graphs_tell_what_they_do(self):
        for mode in ("infer", "train"):
            result = subprocess.run(
                [os.environ["TARE"], "explain", TENSOR, "--filter", f"^mlp_step/engine=graph/mode={mode}/pool=1/size=32x64$",
                 "--format", "json", "--graph", "--repeat", "3", "--no-store"],
                capture_output=True, text=True, timeout=200)
            self.assertEqual(result.returncode, 0, result.stderr)
            (told,) = json.loads(result.stdout)["breakdowns"]
            eager, graph = told["modes"]
            self.assertEqual((eager["mode"], graph["mode"]), ("eager", "graph"))
            products = [[op["flops"] for op in way["ops"] if op["kind"] == "matmul"] for way in (eager, graph)]
            self.assertAlmostEqual(sum(products[0]), sum(products[1]), delta=0.02 * sum(products[0]),
                                   msg="fusing does not change the products")
            self.assertLess(len(graph["ops"]), len(eager["ops"]))
            self.assertTrue(any("+" in op["name"] for op in graph["ops"]), "something is fused")
            for op in eager["ops"] + graph["ops"]:
                self.assertTrue(op["reason"], op["name"])
            self.assertIn("digraph", told["program"]["dot"])
            self.assertIn("compiled", told["program"]["steps"])

    def test_every_claim_is_about_something(self):
        claims = tomllib.loads((SUITE / "hypotheses.toml").read_text())["hypothesis"]
        self.assertEqual(len({c["claim"] for c in claims}), len(claims), "claims are told apart by their text")
        for claim in claims:
            self.assertLessEqual(set(claim), {"claim", "metric", "filter", "of", "to", "at_most"})
            self.assertTrue(any(re.search(claim["filter"], n) and claim["of"] in n for n in names()), claim["claim"])


if __name__ == "__main__":
    unittest.main()
