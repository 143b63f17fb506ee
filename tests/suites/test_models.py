"""The models suite: what trained models and their variants must reach, and a contest from run to leaderboard.

Only exact figures are judged: accuracy on held-out data, sizes, what was written. Times are measured and not looked at.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TARE, MODELS, TRAIN = os.environ["TARE"], os.environ["TARE_MODELS_SUITE"], os.environ["TARE_TRAIN"]
SOURCE = pathlib.Path(os.environ["TARE_SOURCE"])
FLOORS = {"mlp": 0.97, "cnn": 0.97, "keyword_cnn": 0.90, "figure_cnn": 0.95, "autoencoder": 0.90, "decoder": 0.80}


def setUpModule():
    global folder, results
    holder = tempfile.TemporaryDirectory(prefix="tare models ")
    unittest.addModuleCleanup(holder.cleanup)
    folder = pathlib.Path(holder.name)
    ran = tare("run", MODELS, "--processes", "2", "--samples", "10", "--budget", "50ms", "--meters", "none",
               "--format", "json")
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr
    results = {name_of(b): b for b in json.loads(ran.stdout)["benchmarks"]}


def tare(*arguments):
    return subprocess.run([TARE, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=500)


def name_of(benchmark):
    return "/".join([benchmark["name"], *(f"{p['key']}={p['value']}" if isinstance(p, dict) else "=".join(p)
                                          for p in benchmark["parameters"])])


def value(name, metric):
    found = next(m for m in results[name]["metrics"] if m["name"] == metric)
    return found["summary"]["time"]["point"]


def variants(model):
    return [name.split("/")[1].removeprefix("variant=") for name in results
            if name.startswith(f"{model}/") and name.endswith("/batch=1")]


class Accuracy(unittest.TestCase):
    def test_every_model_learnt_its_task(self):
        for model, floor in FLOORS.items():
            self.assertGreaterEqual(value(f"{model}/variant=fp32/batch=1", "accuracy"), floor, model)

    def test_it_comes_with_wilsons_interval(self):
        metric = next(m for m in results["mlp/variant=fp32/batch=1"]["metrics"] if m["name"] == "accuracy")
        time = metric["summary"]["time"]
        right = round(time["point"] * 449)
        z, n, p = 1.959964, 449, right / 449
        half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        self.assertAlmostEqual(time["low"], middle - half, places=6)
        self.assertAlmostEqual(time["high"], middle + half, places=6)

    def test_it_does_not_depend_on_the_batch_or_the_cache(self):
        for name in results:
            if name.endswith("/batch=64"):
                self.assertEqual(value(name, "accuracy"), value(name.replace("batch=64", "batch=1"), "accuracy"))
        self.assertEqual(value("decoder/variant=kv_cache/batch=1", "accuracy"),
                         value("decoder/variant=fp32/batch=1", "accuracy"))


class Variants(unittest.TestCase):
    def test_int8_is_nearly_four_times_smaller_and_as_good(self):
        before, after = "mlp/variant=fp32/batch=1", "mlp/variant=int8/batch=1"
        self.assertGreaterEqual(value(before, "model_bytes") / value(after, "model_bytes"), 3.8)
        self.assertLessEqual(value(before, "accuracy") - value(after, "accuracy"), 0.005)

    def test_all_are_smaller_than_the_baseline(self):
        for model in set(FLOORS) - {"decoder"}:
            others = set(variants(model)) - {"fp32", "graph"}
            self.assertEqual(value(f"{model}/variant=graph/batch=1", "model_bytes"),
                             value(f"{model}/variant=fp32/batch=1", "model_bytes"))
            self.assertGreaterEqual(len(others), 3)
            for variant in others:
                self.assertLess(value(f"{model}/variant={variant}/batch=1", "model_bytes"),
                                value(f"{model}/variant=fp32/batch=1", "model_bytes") / 2, (model, variant))

    def test_what_is_pruned_is_not_computed(self):
        flops = lambda name: results[name]["throughput"]["flops"]
        self.assertLess(flops("mlp/variant=pruned/batch=1"), flops("mlp/variant=fp32/batch=1") / 9)
        self.assertLess(flops("decoder/variant=kv_cache/batch=1"), flops("decoder/variant=fp32/batch=1") / 50)

    def test_each_has_every_figure(self):
        for name, result in results.items():
            metrics = {m["name"] for m in result["metrics"]}
            self.assertLessEqual({"time", "accuracy", "parameters", "model_bytes", "peak_live"}, metrics, name)
            self.assertEqual(len(result["workload"]["data_hash"]), 32, name)
            self.assertTrue(result["checked"], name)


class Choosing(unittest.TestCase):
    def test_pareto_holds_variants_against_the_baseline(self):
        asked = tare("pareto", "last", "--filter", "^mlp/.*batch=1$", "--of", "variant", "--base", "fp32", "--size",
                     "model_bytes", "--require", "accuracy>=0.9", "--format", "json")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        front = json.loads(asked.stdout)
        self.assertEqual(front["base"], "fp32")
        int8 = next(p for p in front["points"] if p["name"] == "int8")
        figures = {m["name"]: m["estimate"]["point"] for m in int8["normalised"]}
        self.assertGreaterEqual(figures["compression"], 3.8)
        self.assertGreaterEqual(figures["accuracy delta"], -0.005)
        self.assertLessEqual({"speed-up", "retention", "efficiency", "efficiency (any change)", "accuracy per MB",
                              "accuracy per ms"}, set(figures))
        self.assertEqual({r["purpose"] for r in front["recommendations"]},
                         {"latency-critical", "memory-constrained", "accuracy-preserving", "balanced"})
        text = tare("pareto", "last", "--filter", "^mlp/.*batch=1$", "--of", "variant", "--base", "fp32")
        self.assertIn("Against fp32:", text.stdout)

    def test_a_base_that_is_not_there_is_refused(self):
        asked = tare("pareto", "last", "--filter", "^mlp/.*batch=1$", "--of", "variant", "--base", "fp16")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("no 'fp16'", asked.stderr)

    def test_standard_tasks_are_met(self):
        tasks = SOURCE / "suites/models/tasks.toml"
        asked = tare("comply", "last", "--tasks", tasks, "--set", "variant=int8", "--format", "json")
        self.assertEqual(asked.returncode, 0, asked.stdout + asked.stderr)
        self.assertEqual(json.loads(asked.stdout)["summary"]["total"], 4)
        missing = tare("comply", "last", "--tasks", tasks, "--set", "variant=fp16")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("0 of 4 tasks", missing.stdout)


class Contest(unittest.TestCase):
    def setUp(self):
        self.model = subprocess.run([TRAIN, "mlp", "int8"], capture_output=True, text=True, check=True).stdout.strip()
        self.out = folder / self._testMethodName
        self.out.mkdir(exist_ok=True)

    def submit(self, athlete, **changes):
        given = {"--baseline": "mlp/variant=fp32/batch=1", "--optimised": "mlp/variant=int8/batch=1",
                 "--model": self.model, "--event": "memory_challenge", "--division": "closed", "--athlete": athlete,
                 "--technique": "quantisation", "--key": folder / f"{athlete}.key",
                 "--out": self.out / f"{athlete}.tare", **changes}
        return tare("submit", "last", *(word for pair in given.items() for word in pair))

    def test_from_run_to_leaderboard(self):
        for athlete in ("ada", "bob"):
            sent = self.submit(athlete)
            self.assertEqual(sent.returncode, 0, sent.stderr)
        good = tare("validate", self.out / "ada.tare", "--format", "json")
        self.assertEqual(good.returncode, 0, good.stdout)
        self.assertTrue(json.loads(good.stdout)["valid"])

        forged = self.out / "eve.tare"
        forged.write_bytes((self.out / "ada.tare").read_bytes().replace(b'"athlete":"ada"', b'"athlete":"eve"'))
        bad = tare("validate", forged)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("FAILED signature", bad.stdout)

        board = json.loads(tare("rank", self.out, "--format", "json").stdout)
        places = board["standings"][0]["places"]
        self.assertEqual([p["rank"] for p in places], [1, 1], "the same size is the same place")
        self.assertEqual([r["file"] for r in board["rejected"]], ["eve.tare"])
        for form in ("text", "markdown", "html"):
            self.assertIn("ada", tare("rank", self.out, "--format", form).stdout)

    def test_a_rerun_measures_the_submitted_model(self):
        self.submit("dan", **{"--event": "accuracy_contest"})
        quick = ["--rerun", "--binary", MODELS, "--processes", "2", "--samples", "10", "--budget", "50ms"]
        asked = tare("validate", self.out / "dan.tare", *quick, "--format", "json")
        rerun = [c for c in json.loads(asked.stdout)["checks"] if c["name"] == "rerun"]
        # Whether a time agrees is luck here; accuracy and size come first and are exact.
        self.assertEqual(len(rerun), 1, asked.stdout)
        self.assertNotIn("accuracy", rerun[0]["message"])

    def test_what_would_be_rejected_is_not_packed(self):
        for option, wrong, reason in (("--event", "free_lunch", "no event"), ("--division", "middle", "no division"),
                                      ("--model", TRAIN, "bytes"), ("--baseline", "mlp/variant=int8/batch=1", "is no baseline"),
                                      ("--optimised", "nothing", "0 benchmarks"),
                                      ("--optimised", "mlp/variant=int8/batch=64", "differ in")):
            refused = self.submit("eva", **{option: wrong})
            self.assertEqual(refused.returncode, 2, option)
            self.assertIn(reason, refused.stderr)
        self.assertFalse((self.out / "eva.tare").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
