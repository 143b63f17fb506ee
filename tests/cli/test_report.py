"""tare report and tare pareto: every format, and what bad input gets."""
import json
import os
import re
import subprocess

from harness import TARE, CliTest, main

STORE_MAKER = os.environ["TARE_REPORT_STORE"]


def made(folder, kind, *arguments):
    """A store of invented runs, written through the store's own interface."""
    path = folder / f"{kind}.db"
    subprocess.run([STORE_MAKER, path, kind, *map(str, arguments)], check=True)
    return path


class Formats(CliTest):
    def setUp(self):
        super().setUp()
        self.store = made(self.folder, "pages")

    def report(self, *arguments):
        result = self.tare("report", *arguments, "--store", self.store)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_html_is_one_file_that_loads_nothing(self):
        said = self.report("--last", "--out", "page.html")
        self.assertIn("page.html (7 benchmarks", said)
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIsNone(re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page))
        self.assertIn("default-src 'none'", page)

    def test_html_goes_to_report_html_unless_told_otherwise(self):
        self.assertIn("report.html", self.report())
        self.assertTrue((self.folder / "report.html").exists())

    def test_json_is_what_the_page_holds(self):
        self.report("--compare", 1, 2, "--out", "page.html")
        page = (self.folder / "page.html").read_text()
        embedded = json.loads(re.search(r'<script type="application/json" id=data>(.*?)</script>', page, re.DOTALL)[1])
        printed = json.loads(self.report("--compare", 1, 2, "--format", "json"))
        del embedded["written_unix_ms"], printed["written_unix_ms"]
        self.assertEqual(embedded, printed)
        self.assertEqual(embedded["schema"], 1)
        self.assertEqual([b["run"] for b in embedded["benchmarks"]], [1] * 10 + [2] * 11)

    def test_markdown_shows_what_changed_and_folds_the_rest(self):
        text = self.report("--compare", 1, 2, "--format", "markdown")
        shown, _, folded = text.partition("<details>")
        self.assertIn("queue/spsc", shown)
        self.assertNotIn("hash/crc32", shown)
        self.assertIn("hash/crc32", folded)
        self.assertLess(len(text), 65536)

    def test_several_runs_stand_in_one_page(self):
        report = json.loads(self.report(1, 3, "--format", "json", "--title", "both"))
        self.assertEqual([run["id"] for run in report["runs"]], [1, 3])
        self.assertEqual(report["title"], "both")
        self.assertEqual(len(report["growth"]), 4)

    def test_a_trace_of_breakdowns(self):
        trace = json.loads(self.report(4, "--format", "trace"))
        operations = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(len(operations), 21 + 9)
        self.assertTrue(all(event["dur"] > 0 for event in operations))

    def test_a_real_run_and_a_real_comparison(self):
        self.store = self.folder / "real.db"
        for _ in range(2):
            self.run_fixture("^good/", "--store", self.store)
        self.assertIn("\\~1 → last", self.report("--compare", "last~1", "last", "--format", "markdown"))
        report = json.loads(self.report("--last", "--format", "json"))
        names = {b["name"]: b for b in report["benchmarks"]}
        self.assertIn("good/told/ms=1", names)
        self.assertTrue(names["good/checked"]["checked"])
        self.assertIn("time/backward", {m["name"] for m in names["good/phases"]["metrics"]})

    def test_a_page_of_100_benchmarks_is_below_a_megabyte(self):
        self.store = made(self.folder, "many", 100)
        self.report("--last", "--out", "page.html")
        self.assertLess((self.folder / "page.html").stat().st_size, 1_000_000)


class BadInput(CliTest):
    def test_no_store_and_no_such_run(self):
        self.assert_refused(self.tare("report", "--last"), "no store yet")
        self.run_fixture("^good/told")
        self.assert_refused(self.tare("report", "77"), "no run 77")
        self.assert_refused(self.tare("report", "nightly"), "'nightly' does not name a run")
        self.assert_refused(self.tare("report", "--compare", "1", "9"), "no run 9")
        self.assertFalse((self.folder / "report.html").exists())

    def test_an_empty_run(self):
        self.run_fixture("^good/told")
        subprocess.run(["python3", "-c", "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute('DELETE FROM result'); "
                        "d.execute('DELETE FROM measurement'); d.commit()", self.folder / ".tare/results.db"], check=True)
        self.assert_refused(self.tare("report", "--last"), "run 1 holds no benchmarks")

    def test_a_run_with_only_failures(self):
        self.run_fixture("^bad/(throws|check|skip)")
        self.assert_refused(self.tare("report", "--last"), "nothing was measured in run 1", "1 failed", "tare show 1")

    def test_a_missing_directory_and_an_unwritable_file(self):
        self.run_fixture("^good/told")
        self.assert_refused(self.tare("report", "--out", "nowhere/report.html"), "nowhere/report.html", "make its directory")
        (self.folder / "taken").mkdir()
        self.assert_refused(self.tare("report", "--out", "taken"), "taken", "name a file")
        if os.geteuid() != 0:
            (self.folder / "taken").chmod(0o555)
            self.assert_refused(self.tare("report", "--out", "taken/report.html"), "may write to")

    def test_a_half_written_file_never_replaces_a_good_one(self):
        store = made(self.folder, "pages")
        page = self.folder / "report.html"
        page.write_text("good")
        command = f"exec '{TARE}' report --compare 1 2 --store '{store}'"
        limited = subprocess.run(["bash", "-c", f"ulimit -f 64; trap '' XFSZ; {command}"], cwd=self.folder, capture_output=True,
                                 text=True)
        self.assert_refused(limited, "cannot write report.html")
        self.assertEqual(page.read_text(), "good")
        self.assertEqual([p.name for p in self.folder.glob("*.tmp")], [])
        subprocess.run(["bash", "-c", command], cwd=self.folder, check=True, capture_output=True)
        self.assertIn("doctype", page.read_text())

    def test_wrong_options(self):
        self.run_fixture("^good/told")
        self.assert_refused(self.tare("report", "--format", "pdf"), "--format", "pdf")
        self.assert_refused(self.tare("report", "--compare", "1"), "--compare")
        self.assert_refused(self.tare("report", "--format", "trace"), "no breakdown")
        self.assert_refused(self.tare("report", "--require", "accuracy"), "--require", "is no constraint")
        self.assert_refused(self.tare("report", "--x", "speed", "--y", "time"), "no benchmark has a metric 'speed'")


class Pareto(CliTest):
    def setUp(self):
        super().setUp()
        self.store = made(self.folder, "pages")

    def pareto(self, *arguments):
        return self.tare("pareto", *arguments, "--store", self.store)

    def test_text_names_the_frontier_and_who_beats_whom(self):
        text = self.pareto(4, "--of", "variant", "--size", "memory", "--require", "accuracy>=0.95").stdout
        self.assertIn("3 of 7 variants are on the frontier", text)
        self.assertRegex(text, r"(?m)^f32-pruned +beaten .* bf16")
        self.assertRegex(text, r"(?m)^int4 +breaks accuracy>=0.95")
        self.assertIn("latency-critical: int8", text)
        self.assertIn("accuracy-preserving: f32", text)

    def test_json_gives_points_and_advice(self):
        front = json.loads(self.pareto(4, "--format", "json").stdout)
        self.assertEqual([m["name"] for m in front["metrics"]], ["time", "accuracy"])
        frontier = {p["name"] for p in front["points"] if p["frontier"]}
        self.assertIn("mlp/infer/variant=bf16", frontier)
        self.assertNotIn("mlp/infer/variant=f32-eager", frontier)
        self.assertEqual({r["purpose"] for r in front["recommendations"]},
                         {"latency-critical", "accuracy-preserving", "balanced"})

    def test_bad_input(self):
        self.assert_refused(self.pareto(9), "no run 9")
        self.assert_refused(self.pareto(3), "run 3", "no benchmark has a metric 'accuracy'", "time")
        self.assert_refused(self.pareto(4, "--filter", "nothing"), "matches 'nothing'")
        self.assert_refused(self.pareto(4, "--filter", "["), "regular expression")
        self.assert_refused(self.pareto(4, "--require", "accuracy~1"), "--require", "is no constraint")
        self.assert_refused(self.pareto(4, "--of", "device"), "no parameter 'device'")
        self.assert_refused(self.pareto(4, "--out", "nowhere/x"), "nowhere/x")


if __name__ == "__main__":
    main()
