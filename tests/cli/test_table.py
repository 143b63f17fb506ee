"""tare table and tare gradbench-tool, with good and with bad input."""
import json
import os

from harness import CliTest, main

CLAIMS = """
[[hypothesis]]
claim = "told times grow"
of = "ms=2"
to = ["ms=1"]
at_most = 3
"""


class Table(CliTest):
    def setUp(self):
        super().setUp()
        self.run_fixture("^good/told")

    def test_ratios_in_three_formats(self):
        text = self.tare("table", "last", "--pivot", "ms")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("geometric mean", text.stdout)
        self.assertIn("good/told", text.stdout)
        self.assertIn("| geometric mean |", self.tare("table", "--pivot", "ms", "--format", "markdown").stdout)
        table = json.loads(self.tare("table", "--pivot", "ms", "--format", "json").stdout)["table"]
        self.assertEqual(table["parameter"], "ms")
        ratios = [cell["ratio"]["point"] for cell in table["rows"][0]["cells"].values()]
        self.assertEqual(min(ratios), 1)

    def test_share_of_the_roof(self):
        cache = self.folder / "cache"
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        self.assertEqual(self.run_fixture("^work/", env=environment).returncode, 0)
        (kept,) = (cache / "tare").glob("roofs-*.json")
        roofs = json.loads(kept.read_text())
        self.assertGreater(roofs["roofs"]["peaks"][0]["flops_per_s"], 0)
        # A machine of which everything is known: a million flops take it half a millisecond.
        roofs["roofs"] = {"peaks": [{"threads": 1, "flops_per_s": 2e9}], "bandwidths": [{"level": "DRAM", "bytes_per_s": 1e10}]}
        kept.write_text(json.dumps(roofs))
        self.run_fixture("^work/", env=environment)
        table = json.loads(
            self.tare("table", "--pivot", "length", "--metric", "roof_share", "--format", "json").stdout)["table"]
        shares = {length: cell["value"]["point"] for length, cell in table["rows"][0]["cells"].items()}
        self.assertAlmostEqual(shares["1"], 0.5, 3)
        self.assertAlmostEqual(shares["2"], 0.25, 3)
        self.assertIn("roof_share", self.tare("show", "last", "work/stated/length=1").stdout)
        self.assertIn("estimated", self.tare("show", "last", "work/stated/length=1").stdout)

    def test_claims_are_tested(self):
        claims = self.folder / "claims.toml"
        claims.write_text(CLAIMS)
        result = self.tare("table", "--pivot", "ms", "--hypotheses", claims)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("told times grow", result.stdout)

    def test_bad_claims_name_the_field(self):
        for text, words in [
            ("[[hypothesis]]\nclaim = 3", ["'claim'"]),
            ("[[hypothesis]]\nclaim = 'x'", ["'of' is missing"]),
            (CLAIMS + "unknown = 1", ["'unknown'"]),
            (CLAIMS + "filter = '['", ["'filter'", "regular expression"]),
            (CLAIMS + "over = 'some'", ["'over'"]),
            ("hypothesis = 3", ["[[hypothesis]]"]),
            ("[[", ["line 1"]),
        ]:
            claims = self.folder / "claims.toml"
            claims.write_text(text)
            with self.subTest(text=text):
                self.assert_refused(self.tare("table", "--pivot", "ms", "--hypotheses", claims), *words)
        self.assert_refused(self.tare("table", "--pivot", "ms", "--hypotheses", "none.toml"), "cannot read")

    def test_what_is_not_there(self):
        self.assert_refused(self.tare("table", "--pivot", "device"), "no benchmark", "'device'")
        self.assert_refused(self.tare("table", "--pivot", "ms", "--base", "77"), "'77' is no value of 'ms'")
        self.assert_refused(self.tare("table", "--pivot", "ms", "--filter", "nothing"), "matches 'nothing'")
        self.assert_refused(self.tare("table", "--pivot", "ms", "--filter", "["), "regular expression")
        self.assert_refused(self.tare("table", "99"), "99")


class GradbenchTool(CliTest):
    def test_a_session_with_rubbish_in_it(self):
        lines = [{"id": 0, "kind": "start"}, {"id": 1, "kind": "define", "module": "hello"},
                 {"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 3}]
        text = "\n".join([json.dumps(lines[0]), "rubbish", "", *map(json.dumps, lines[1:])]) + "\n"
        result = self.tare("gradbench-tool", input=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([a.get("id") for a in answers], [0, None, None, 1, 2])
        self.assertEqual(answers[-1]["output"], 6)
        self.assertIn("JSON", answers[1]["error"])


if __name__ == "__main__":
    main()
