"""tare run, list, runs, show: what good input gets."""
import csv
import io
import json
import re
import shutil
import unittest

from harness import FIXTURE, TARE, CliTest, main
import subprocess


class Run(CliTest):
    def test_prints_a_table_and_keeps_the_run(self):
        result = self.run_fixture("^good/told")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("good/told/ms=1", result.stdout)
        self.assertIn("1.00 ms", result.stdout)
        self.assertIn("2.00 ms", result.stdout)
        self.assertIn("Run 1 kept in", result.stdout)
        self.assertTrue((self.folder / ".tare/results.db").exists())
        self.assertEqual(result.stderr, "", "progress is for terminals only")
        self.assertNotIn("\x1b", result.stdout, "colour is for terminals only")

    def test_json_holds_every_raw_sample_and_the_workload(self):
        run = self.json_of("good/checked")
        benchmark = run["benchmarks"][0]
        self.assertEqual(benchmark["full_name"], "good/checked")
        self.assertEqual(benchmark["workload"]["shape"], [2, 3])
        self.assertTrue(benchmark["checked"])
        metrics = {m["name"]: m for m in benchmark["metrics"]}
        self.assertEqual(len(metrics["time"]["samples"]), 6)
        self.assertEqual(metrics["tape_entries"]["summary"]["time"]["point"], 42)
        self.assertEqual(metrics["error"]["samples"][0]["total"], 1e-12)
        self.assertEqual(run["machine"]["fingerprint"], run["machine"]["fingerprint"].lower())
        self.assertEqual(len(run["binaries"][0]["hash"]), 32)
        self.assertIn("tare run", benchmark["reproduce"])

    def test_the_reproduce_command_measures_just_this_again(self):
        command = self.json_of("good/told/ms=2")["benchmarks"][0]["reproduce"]
        again = subprocess.run(command.replace("tare run", f"{TARE} run", 1) + " --processes 1 --samples 1 --format json",
                               shell=True, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual([b["full_name"] for b in json.loads(again.stdout)["benchmarks"]], ["good/told/ms=2"])

    def test_allocations_are_exact(self):
        run = json.loads(self.tare("run", FIXTURE, "--filter", "good/allocates", "--processes", "2", "--samples", "2",
                                   "--budget", "100ms", "--format", "json").stdout)
        metrics = {m["name"]: m for m in run["benchmarks"][0]["metrics"]}
        if metrics["allocations"]["origin"].startswith("unavailable"):
            self.skipTest(metrics["allocations"]["origin"])
        self.assertEqual(metrics["allocations"]["summary"]["time"]["point"], 1)
        self.assertEqual(metrics["allocated_bytes"]["summary"]["time"]["point"], 1000)

    def test_phases_are_rows_of_their_own(self):
        result = self.run_fixture("good/phases", "--budget", "100ms")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^\s+forward ")
        self.assertRegex(result.stdout, r"(?m)^\s+backward ")

    def test_benchmarks_in_turns_keep_their_order_and_need_a_parameter(self):
        run = json.loads(self.tare("run", FIXTURE, "--filter", "^good/(told|allocates)", "--in-turns", "ms", "--processes", "2",
                                   "--samples", "2", "--meters", "none", "--format", "json").stdout)
        self.assertEqual([b["full_name"] for b in run["benchmarks"]], ["good/told/ms=1", "good/told/ms=2", "good/allocates"])
        result = self.tare("run", FIXTURE, "--filter", "good/told", "--in-turns", "size")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--in-turns size: no chosen benchmark has this parameter", result.stderr)

    def test_selection_by_parameter_and_tag(self):
        names = lambda *a: self.tare("list", FIXTURE, *a).stdout.split()
        self.assertEqual(names("--param", "ms=2"), ["good/told/ms=2"])
        self.assertEqual(len(names("--tag", "kind=good")), 5)
        self.assertEqual(names("--tag", "kind=good", "--filter", "told", "--param", "ms=1"), ["good/told/ms=1"])
        listed = json.loads(self.tare("list", FIXTURE, "--filter", "told", "--json").stdout)
        self.assertEqual(listed[0]["parameters"], [["ms", "1"]])

    def test_formats(self):
        rows = list(csv.DictReader(io.StringIO(self.run_fixture("good/told", "--format", "csv").stdout)))
        self.assertIn("time", {row["metric"] for row in rows})
        samples = list(csv.DictReader(io.StringIO(self.run_fixture("good/told", "--format", "samples").stdout)))
        self.assertGreaterEqual(len(samples), 12)
        markdown = self.run_fixture("good/told", "--format", "markdown").stdout
        self.assertRegex(markdown, r"(?m)^\|.*\|$")

    def test_out_writes_a_file(self):
        result = self.run_fixture("good/told", "--format", "json", "--out", "results.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(json.loads((self.folder / "results.json").read_text())["benchmarks"]), 2)

    def test_notes_and_seed_travel_with_the_run(self):
        run = self.json_of("good/checked", "--note", "branch=fast", "--seed", "77")
        self.assertEqual(run["tags"], {"branch": "fast"})
        self.assertEqual(run["seed"], 77)
        self.assertEqual(run["benchmarks"][0]["workload"]["seed"], 77)

    def test_no_store_keeps_nothing(self):
        self.run_fixture("good/told", "--no-store")
        self.assertFalse((self.folder / ".tare").exists())

    def test_instruction_counts_are_exact(self):
        def count():
            result = self.tare("run", FIXTURE, "--filter", "good/phases", "--processes", "1", "--samples", "1",
                               "--budget", "10ms", "--meters", "instructions", "--format", "json")
            self.assertEqual((result.returncode, result.stderr), (0, ""), "kept in the store as well")
            run = json.loads(result.stdout)
            metric = {m["name"]: m for m in run["benchmarks"][0]["metrics"]}["instructions"]
            if metric["origin"].startswith("unavailable"):
                self.skipTest(metric["origin"])
            return metric["summary"]["time"]["point"]
        first = count()
        self.assertGreater(first, 2)
        self.assertLess(first, 200, "preparation and harness are not counted")
        self.assertEqual(first, count())


class Stored(CliTest):
    def test_runs_and_show(self):
        self.run_fixture("good/told/ms=1", "--note", "branch=main")
        self.run_fixture("good")
        runs = self.tare("runs")
        self.assertEqual(runs.returncode, 0, runs.stderr)
        self.assertRegex(runs.stdout, r"(?m)^\s*2 ")
        self.assertIn("branch=main", runs.stdout)
        self.assertEqual([r["id"] for r in json.loads(self.tare("runs", "--json").stdout)], [2, 1])
        shown = self.tare("show", "last~1")
        self.assertIn("good/told/ms=1", shown.stdout)
        self.assertNotIn("good/checked", shown.stdout)

    def test_show_tells_everything_about_one_benchmark(self):
        self.tare("run", FIXTURE, "--filter", "told/ms=1", "--processes", "3", "--samples", "20", "--meters", "none")
        shown = self.tare("show", "1", "told")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for word in ("median", "MAD", "p99", "lag-1", "tare run", "1.00 ms"):
            self.assertIn(word, shown.stdout)
        self.assertTrue(re.search("[▁▂▃▄▅▆▇█]", shown.stdout), "a histogram is drawn")
        ascii_only = self.tare("show", "last", "told", "--ascii").stdout
        self.assertFalse(re.search("[▁▂▃▄▅▆▇█]", ascii_only))

    def test_a_stored_run_reads_like_a_fresh_one(self):
        fresh = self.json_of("good/told")
        stored = json.loads(self.tare("show", "last", "--format", "json").stdout)
        self.assertEqual(fresh["benchmarks"], stored["benchmarks"])


class Direct(CliTest):
    """A benchmark binary run by hand."""

    def direct(self, *arguments):
        return subprocess.run([FIXTURE, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def test_prints_a_table(self):
        result = self.direct("--filter", "good/told", "--processes", "2", "--samples", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("good/told/ms=2", result.stdout)
        self.assertFalse((self.folder / ".tare").exists())

    def test_lists_and_speaks_json(self):
        self.assertIn("good/told/ms=1", self.direct("--list").stdout.split())
        run = json.loads(self.direct("--filter", "checked", "--json", "--processes", "2", "--samples", "2").stdout)
        self.assertEqual(len(run["benchmarks"]), 1)

    def test_in_process_for_debuggers(self):
        result = self.direct("--filter", "good/told", "--in-process", "--samples", "3", "--json")
        samples = json.loads(result.stdout)["benchmarks"][0]["metrics"][0]["samples"]
        self.assertEqual({s.get("process", 0) for s in samples}, {0})

    def test_bad_use(self):
        result = self.direct("--filter", "nothing like this")
        self.assertEqual(result.returncode, 2)
        self.assertIn("none of the", result.stderr)
        self.assertEqual(self.direct("--nonsense").returncode, 2)


class Other(CliTest):
    def test_doctor_names_every_topic(self):
        findings = json.loads(self.tare("doctor", "--json").stdout)
        topics = {f["topic"] for f in findings}
        for topic in ("load", "governor", "turbo", "smt", "aslr", "virtualisation", "clock", "noise"):
            self.assertIn(topic, topics)
        for finding in findings:
            if finding["health"] in ("caution", "bad"):
                self.assertTrue(finding["advice"], finding)
        self.assertEqual(self.tare("doctor").returncode, 0)

    def test_help_has_examples_for_each_command(self):
        for command in ("run", "list", "runs", "show", "baseline", "doctor", "completion"):
            result = self.tare(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout, command)
        self.assertIn("Exit codes", self.tare("--help").stdout)
        self.assertRegex(self.tare("--version").stdout, r"^tare \d+\.\d+\.\d+")

    def test_bash_completion_completes(self):
        script = 'source <("$0" completion bash); COMP_WORDS=(tare run --pre); COMP_CWORD=2; _tare; echo "${COMPREPLY[@]}"'
        result = subprocess.run(["bash", "-c", script, TARE], capture_output=True, text=True)
        self.assertEqual(result.stdout.strip(), "--precision", result.stderr)
        script = 'source <("$0" completion bash); COMP_WORDS=(tare sh); COMP_CWORD=1; _tare; echo "${COMPREPLY[@]}"'
        self.assertEqual(subprocess.run(["bash", "-c", script, TARE], capture_output=True, text=True).stdout.strip(), "show")

    def test_zsh_completion_loads(self):
        script = 'autoload -U compinit; compinit -D -u; eval "$($0 completion zsh)"; echo ${_comps[tare]}'
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        result = subprocess.run(["zsh", "-f", "-c", script, TARE], capture_output=True, text=True)
        self.assertEqual(result.stdout.strip(), "_tare", result.stderr)


if __name__ == "__main__":
    main()
