"""tare explain: an invented program on an invented machine, so that every number is known."""
import json
import os

from harness import FIXTURE, CliTest, main

# A product at 11.8 % of the peak; large arrays at the bandwidth of memory.
ROOFS = {"peaks": [{"threads": 1, "flops_per_s": 1e11}], "bandwidths": [{"level": "DRAM", "bytes_per_s": 1e10}]}


class Explain(CliTest):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def explain(self, pattern, *arguments):
        return self.tare("explain", FIXTURE, "--filter", pattern, *arguments, env=self.environment)

    def with_invented_roofs(self):
        """The first explanation measures the machine; from then on it is another."""
        self.explain("^explained/invented", "--repeat", 1, "--no-store")
        (kept,) = (self.folder / "cache" / "tare").glob("roofs-*.json")
        roofs = json.loads(kept.read_text())
        self.assertGreater(roofs["roofs"]["peaks"][0]["flops_per_s"], 0)
        roofs["roofs"] = ROOFS
        kept.write_text(json.dumps(roofs))

    def test_text(self):
        self.with_invented_roofs()
        result = self.explain("^explained/invented", "--faster-matmul", "8.5")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("explained/invented", "100 Gflop/s on 1 thread", "85 % matmul", "layer_norm", "100 %",
                      "8.50 times faster", "40 %", "60 %", "predicted 1.11", "measured 1.13", "1. ", "Kept as run 1"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("digraph", result.stdout)

    def test_json_holds_the_whole_analysis(self):
        self.with_invented_roofs()
        result = self.explain("^explained/invented", "--format", "json", "--graph", "--faster-matmul", "8.5")
        self.assertEqual(result.returncode, 0, result.stderr)
        (told,) = json.loads(result.stdout)["breakdowns"]
        self.assertEqual([mode["mode"] for mode in told["modes"]], ["eager", "graph"])
        matmul, norm, relu = told["modes"][0]["ops"]
        self.assertEqual((matmul["kind"], matmul["regime"]), ("matmul", "compute"))
        self.assertAlmostEqual(matmul["share_of_roof"], 10 / 85)
        self.assertEqual((norm["regime"], norm["share_of_roof"]), ("bandwidth", 1))
        self.assertIn("moving less helps", norm["reason"])
        self.assertEqual(relu["duration_ns"], 5e6, "the median, without the first execution")
        # 15 ms of bytes become 5: 102 ms become 92.
        self.assertAlmostEqual(told["predicted_gain"], 102 / 92)
        self.assertAlmostEqual(told["measured_gain"]["point"], 102 / 90)
        self.assertLess(told["measured_gain"]["low"], told["measured_gain"]["high"])
        self.assertAlmostEqual(told["modes"][0]["if_matmul_were"]["matmul_share"], 0.4)
        # What is at the roof already (layer_norm+relu) is worth nothing.
        self.assertEqual(len(told["advice"]), 2)
        self.assertIn("matmul takes 94 % of the time", told["advice"][0])
        self.assertIn("Run it in mode graph", told["advice"][1])
        self.assertIn("digraph", told["program"]["dot"])

    def test_trace(self):
        result = self.explain("^explained/invented", "--format", "trace", "--out", "trace.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        self.assertEqual([e["name"] for e in events if e["ph"] == "X"],
                         ["matmul", "layer_norm", "relu", "matmul", "layer_norm+relu"])

    def test_graph_prints_steps_and_dot(self):
        result = self.explain("^explained/invented", "--graph", "--repeat", 2)
        self.assertIn("1  layer_norm+relu", result.stdout)
        self.assertIn("digraph invented {}", result.stdout)

    def test_what_is_kept_is_drawn_and_traced(self):
        self.explain("^explained/invented")
        report = self.tare("report", "--last")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("layer_norm+relu", (self.folder / "report.html").read_text())
        trace = json.loads(self.tare("report", "--last", "--format", "trace").stdout)
        self.assertIn("layer_norm+relu", [event["name"] for event in trace["traceEvents"]])
        self.assertIn("graph_traced", self.tare("show", "last", "explained").stdout)

    def test_without_store(self):
        result = self.explain("^explained/invented", "--no-store")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("Kept", result.stdout)
        self.assertFalse((self.folder / ".tare" / "results.db").exists())

    def test_those_that_do_not_tell_are_left_out(self):
        result = self.explain("^(explained/invented|good/told)")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("left out 2 benchmarks", result.stderr)
        self.assert_refused(self.explain("^good/told"), "none of 2 benchmarks", "explain()")

    def test_failures_are_told_and_change_the_exit_code(self):
        self.assert_refused(self.explain("^explained/throws"), "explained/throws", "no trace today")
        self.assert_refused(self.explain("^explained/changing"), "operation 3 is 'relu' once, then 'nothing'")
        both = self.explain("^explained/(invented|throws)")
        self.assertEqual(both.returncode, 2)
        self.assertIn("explained/invented", both.stdout)
        self.assertIn("no trace today", both.stderr)

    def test_wrong_use(self):
        for arguments, words in [
            (["--repeat", "0"], ["--repeat"]),
            (["--faster-matmul", "-1"], ["--faster-matmul"]),
            (["--format", "csv"], ["--format"]),
            (["--time-limit", "3"], ["--time-limit"]),
            (["--param", "x"], ["--param"]),
            (["--out", "no/such/folder/x"], ["cannot write"]),
        ]:
            with self.subTest(arguments=arguments):
                self.assert_refused(self.explain("^explained/invented", *arguments), *words)
        self.assert_refused(self.tare("explain", self.folder / "missing"), "missing")


if __name__ == "__main__":
    main()
