"""tare compare, gate and calibrate. Sides are copies of the fixture whose file names say what they do; their times are told."""
import json
import shutil
import unittest
import xml.etree.ElementTree

from harness import FIXTURE, TARE, CliTest, main

# 12 pairs can be surer than 1 in 1000.
PAIRS = ["--processes", "12", "--rounds", "2", "--meters", "none"]


class Sides(CliTest):
    def side(self, name):
        """A copy of the fixture under this name, with a hash of its own."""
        path = self.folder / name
        shutil.copy(FIXTURE, path)
        with open(path, "ab") as file:
            file.write(name.encode())
        return path

    def pairs(self, arguments):
        """PAIRS without what the arguments say themselves."""
        kept = [(PAIRS[i], PAIRS[i + 1]) for i in range(0, len(PAIRS), 2) if PAIRS[i] not in arguments]
        return [word for pair in kept for word in pair]

    def compare(self, before, after, *arguments, pattern="side/time"):
        return self.tare("compare", self.side(before), self.side(after), "--filter", pattern, *self.pairs(arguments), *arguments)

    def json_of_compare(self, *arguments, **kwargs):
        result = self.compare(*arguments, "--format", "json", **kwargs)
        return result.returncode, json.loads(result.stdout)


class Verdicts(Sides):
    def test_slower(self):
        result = self.compare("base", "slower")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, r"side/time +1\.1\d*× slower +95 % CI \[1\.\d+, 1\.\d+\] +p 0\.0")

    def test_faster(self):
        code, comparison = self.json_of_compare("base", "faster")
        self.assertEqual(code, 0)
        time = comparison["benchmarks"][0]["metrics"][0]
        self.assertEqual((time["metric"], time["verdict"]), ("time", "better"))
        self.assertAlmostEqual(time["ratio"]["point"], 0.5, 3)
        self.assertTrue(comparison["paired"])
        self.assertLessEqual(comparison["benchmarks"][0]["processes"], 12)

    def test_same_program_under_another_name(self):
        code, comparison = self.json_of_compare("base", "other")
        self.assertEqual(code, 0)
        self.assertEqual(comparison["benchmarks"][0]["metrics"][0]["verdict"], "same")
        self.assertFalse(comparison["identical"])

    def test_identical_binaries_are_said_to_be_so(self):
        side = self.side("base")
        result = self.tare("compare", side, side, "--filter", "side/time", *PAIRS)
        self.assertIn("Identical", result.stdout)

    def test_too_few_processes_are_undecided(self):
        result = self.compare("base", "slower", "--processes", "3")
        self.assertEqual(result.returncode, 3, result.stdout)
        self.assertIn("undecided", result.stdout)

    def test_exact_counts(self):
        code, comparison = self.json_of_compare("base", "entries")
        self.assertEqual(code, 1)
        entries = next(m for m in comparison["benchmarks"][0]["metrics"] if m["metric"] == "entries")
        self.assertEqual((entries["verdict"], entries["difference"]), ("worse", 1))

    def test_between_and_vary_within_one_binary(self):
        within = ["--filter", "good/told", *PAIRS, "--format", "json"]
        between = json.loads(self.tare("compare", FIXTURE, "--between", "ms=1", "ms=2", *within).stdout)
        vary = json.loads(self.tare("compare", FIXTURE, "--vary", "ms=1,2", *within).stdout)
        for comparison in (between, vary):
            pair, = comparison["benchmarks"]
            self.assertAlmostEqual(pair["metrics"][0]["ratio"]["point"], 2, 2)
            self.assertEqual(pair["name"], "good/told/ms=1 → good/told/ms=2")

    def test_both_sides_are_kept_and_the_comparison_is_found_again(self):
        self.compare("base", "slower")
        runs = json.loads(self.tare("runs", "--json").stdout)
        self.assertEqual([r["tags"]["side"] for r in runs], ["after", "before"])
        again = self.tare("compare", "1", "2", "--format", "json")
        comparison = json.loads(again.stdout)
        self.assertEqual(again.returncode, 1)
        self.assertTrue(comparison["paired"], "measured together, shown as such")
        self.assertEqual(comparison["benchmarks"][0]["metrics"][0]["verdict"], "worse")

    def test_stored_runs_say_that_drift_was_not_controlled(self):
        for side in ("base", "slower"):
            self.tare("run", self.side(side), "--filter", "side/time", "--processes", "8", "--samples", "3")
        stored = self.tare("compare", "1", "2", "--format", "json")
        self.assertEqual(stored.returncode, 1)
        comparison = json.loads(stored.stdout)
        self.assertFalse(comparison["paired"])
        self.assertEqual(comparison["warnings"][0]["doubt"], "uncontrolled_drift")
        self.assertEqual(comparison["benchmarks"][0]["metrics"][0]["verdict"], "worse")
        self.assertIn("drift", self.tare("compare", "1", "2").stdout)

    def test_identical_programs_feed_the_noise_floor(self):
        side = self.side("base")
        for _ in range(2):
            self.tare("compare", side, side, "--filter", "side/time", *PAIRS)
        code, comparison = self.json_of_compare("base", "other")
        self.assertEqual(comparison["noise_floor"]["comparisons"], 2)
        self.assertLess(comparison["noise_floor"]["largest"], 0.01)

    def test_markdown_shows_changed_rows(self):
        result = self.compare("base", "slower", "--format", "markdown", pattern="^(side/time|good/checked)$")
        self.assertIn("| side/time |", result.stdout.replace("`", ""))
        self.assertIn("<details>", result.stdout)

    def test_unmatched_are_listed(self):
        result = self.compare("base", "extra", pattern="side/(time|extra)")
        self.assertIn("side/extra", result.stdout)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_load_on_one_side_only_is_no_regression(self):
        code, comparison = self.json_of_compare("base", "loaded", "--processes", "7", "--rounds", "2", pattern="side/loaded")
        time = comparison["benchmarks"][0]["metrics"][0]
        self.assertNotEqual(time["verdict"], "worse", time)
        self.assertNotEqual(code, 1)


class BadSides(Sides):
    def test_no_benchmark_in_common(self):
        worker = self.script("other", "#!/usr/bin/env python3\n" + """
import os, socket
f = socket.socket(fileno=int(os.environ["TARE_WORKER_FD"])).makefile("rw")
f.write('{"tare":1}\\n'); f.flush()
for line in f:
    if '"list"' in line: f.write('{"ok":[{"name":"unheard"}]}\\n'); f.flush()
    if '"quit"' in line: break
""")
        self.assert_refused(self.tare("compare", FIXTURE, worker, *PAIRS), "no benchmark in common", "unheard")

    def test_a_check_that_fails_on_one_side(self):
        result = self.compare("base", "wrong")
        self.assertEqual(result.returncode, 2)
        said = " ".join(result.stdout.split())
        self.assertIn("check failed: after: the check failed", said)
        self.assertIn("wrong on purpose", said)
        self.assertNotRegex(result.stdout, r"× (faster|slower)")

    def test_a_side_that_crashes_midway_loses_only_its_pair(self):
        result = self.compare("base", "crash", pattern="side/(time|allocates)")
        self.assertEqual(result.returncode, 2)
        self.assertIn("crashed: after: ", " ".join(result.stdout.split()))
        self.assertIn("signal 11", result.stdout)
        self.assertIn("side/allocates", result.stdout)
        kept = json.loads(self.tare("show", "1", "--format", "json").stdout)
        times = next(b for b in kept["benchmarks"] if b["full_name"] == "side/time")
        self.assertTrue(times["metrics"], "the good side's samples are kept")

    def test_other_units(self):
        result = self.compare("base", "unit")
        self.assertEqual(result.returncode, 2)
        self.assertIn("metric 'entries'", result.stdout)

    def test_a_zero_time(self):
        result = self.compare("base", "zero")
        self.assertEqual(result.returncode, 2)
        self.assertIn("zero has no ratio", result.stdout)

    def test_other_work_is_refused_and_allowed_work_is_stamped(self):
        result = self.compare("base", "batch")
        self.assertEqual(result.returncode, 2)
        self.assertIn("batch 1 / 2; --allow batch", " ".join(result.stdout.split()))
        code, comparison = self.json_of_compare("base", "batch", "--allow", "batch")
        self.assertEqual(code, 0)
        self.assertEqual(comparison["benchmarks"][0]["differences"], [{"field": "batch", "before": "1", "after": "2"}])

    def test_wrong_use(self):
        self.run_fixture("good/told")
        for arguments, word in [([FIXTURE], "name two binaries"), ([FIXTURE, FIXTURE, "--vary", "ms=1,2"], "just one"),
                                ([FIXTURE, "--vary", "ms=1"], "two values"), ([FIXTURE, "--vary", "ms=1,9"], "ms=9"),
                                ([FIXTURE, "--between", "good[", "x"], "regular expression"),
                                ([FIXTURE, "--between", "good/told", "nothing"], "no benchmark matches 'nothing'"),
                                ([FIXTURE, "1"], "one side is a file"), (["1", "nonsense"], "nonsense"),
                                (["1", "99"], "99"), ([FIXTURE, FIXTURE, "--margin", "0"], "--margin"),
                                ([FIXTURE, FIXTURE, "--confidence", "10%"], "--confidence"),
                                ([FIXTURE, FIXTURE, "--allow", "weather"], "weather"),
                                (["./missing", FIXTURE], "./missing")]:
            with self.subTest(arguments=arguments):
                self.assert_refused(self.tare("compare", *arguments), word)

    def test_a_run_without_the_other_sides_benchmarks(self):
        self.run_fixture("good/told")
        self.run_fixture("good/checked")
        self.assert_refused(self.tare("compare", "1", "2"), "no benchmark in common")


class Gate(Sides):
    BUDGETS = '[default]\ntime = "5%"\nallocations = 0\nentries = 0\n'

    def gate(self, after, *arguments, before="base", budgets=BUDGETS, pattern="side/time"):
        (self.folder / "budgets.toml").write_text(budgets)
        return self.tare("gate", "--baseline", self.side(before), self.side(after), "--filter", pattern, *self.pairs(arguments), *arguments)

    def test_within(self):
        result = self.gate("other")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_beyond(self):
        result = self.gate("slower")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("time = 5%", result.stdout)

    def test_a_larger_budget_lets_it_pass(self):
        self.assertEqual(self.gate("slower", budgets='[default]\ntime = "20%"\n').returncode, 0)

    def test_undecided(self):
        self.assertEqual(self.gate("slower", "--processes", "3").returncode, 3)

    def test_exact_counts_are_gated_exactly(self):
        self.assertEqual(self.gate("entries").returncode, 1)
        found = self.gate("allocs", "--meters", "allocations", pattern="side/allocates",
                          budgets="[default]\nallocations = 0\n")
        if "nothing was judged" in found.stdout:
            self.skipTest("allocations cannot be counted in this build")
        self.assertEqual(found.returncode, 1, found.stdout)

    def test_formats(self):
        annotations = self.gate("slower", "--format", "github").stdout
        self.assertTrue(annotations.startswith("::error"), annotations)
        suite = xml.etree.ElementTree.fromstring(self.gate("slower", "--format", "junit").stdout)
        self.assertTrue(suite.findall(".//failure"))
        self.assertEqual(json.loads(self.gate("slower", "--format", "json").stdout)["outcome"], "beyond")
        self.assertIn("side/time", self.gate("slower", "--format", "markdown").stdout)

    def test_against_a_stored_baseline(self):
        (self.folder / "budgets.toml").write_text(self.BUDGETS)
        base = self.side("base")
        few = ["--filter", "side/time", "--processes", "8", "--meters", "none"]
        self.assertEqual(self.tare("run", base, *few, "--samples", "5").returncode, 0)
        self.assertEqual(self.tare("baseline", "save", "release").returncode, 0)
        same = self.tare("gate", "--baseline", "release", base, *few, "--wall", "300ms")
        self.assertEqual(same.returncode, 0, same.stdout + same.stderr)
        worse = self.tare("gate", "--baseline", "release", self.side("slower"), *few, "--wall", "300ms")
        self.assertEqual(worse.returncode, 1, worse.stdout + worse.stderr)

    def test_bad_input(self):
        self.assert_refused(self.tare("gate", "--baseline", "x", FIXTURE), "budgets.toml")
        (self.folder / "budgets.toml").write_text(self.BUDGETS)
        self.run_fixture("good/told")
        self.assert_refused(self.tare("gate", "--baseline", "nobody", FIXTURE), "nobody", "tare baseline list")
        (self.folder / "budgets.toml").write_text('[default]\ntime = "5 parsecs"\n')
        self.assert_refused(self.tare("gate", "--baseline", FIXTURE, FIXTURE), "budgets.toml:2:8", "parsecs")
        (self.folder / "budgets.toml").write_text('[defaults]\ntime = "5%"\n')
        self.assert_refused(self.tare("gate", "--baseline", FIXTURE, FIXTURE), "budgets.toml:1", "defaults")

    def test_a_failed_side_is_no_pass(self):
        self.assertEqual(self.gate("wrong").returncode, 2)


class Calibrate(CliTest):
    def test_counts_are_exact(self):
        result = self.tare("calibrate", "--body", "allocate", "--slowdown", "0", "--slowdown", "0.01", "--comparisons", "3",
                           "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        identical, more = json.loads(result.stdout)["rows"]
        if more["found"] == 0:
            self.skipTest("allocations cannot be counted in this build")
        self.assertEqual((identical["found"], identical["comparisons"]), (0, 3))
        self.assertEqual(more["found"], 3)

    def test_times_are_compared_and_counted(self):
        result = self.tare("calibrate", "--slowdown", "0.03", "--comparisons", "2", "--budget", "200ms")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("of 2", result.stdout)

    def test_wrong_use(self):
        for arguments in (["--body", "soup"], ["--slowdown", "0.5"], ["--comparisons", "0"], ["--load", "-1"]):
            self.assert_refused(self.tare("calibrate", *arguments), "--help")


if __name__ == "__main__":
    main()
