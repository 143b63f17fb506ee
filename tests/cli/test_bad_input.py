"""What bad input gets: one line that says what, where and what to do; exit code 2; nothing lost."""
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import unittest

from harness import FIXTURE, QUICK, TARE, CliTest, main


class Binaries(CliTest):
    def test_missing(self):
        self.assert_refused(self.tare("run", "./nothing_here"), "./nothing_here", "no such file")

    def test_not_executable(self):
        path = self.folder / "plain"
        path.write_text("text")
        path.chmod(0o644)
        self.assert_refused(self.tare("run", path), "plain", "chmod +x")

    def test_a_directory(self):
        self.assert_refused(self.tare("run", self.folder), "is a directory")

    def test_not_a_program(self):
        path = self.script("rubbish", "\x7fELFrubbish")
        self.assert_refused(self.tare("run", path), "rubbish", "not a program")

    def test_a_program_that_is_no_benchmark(self):
        self.assert_refused(self.tare("run", shutil.which("true")), "is not a tare benchmark", "exit code 0",
                            "tare::bench_main")
        self.assert_refused(self.tare("run", shutil.which("false")), "exit code 1")

    def test_a_worker_that_speaks_another_language(self):
        worker = self.script("other", "#!/bin/sh\neval 'echo HTTP/1.1 200 OK >&'$TARE_WORKER_FD\nsleep 100\n")
        self.assert_refused(self.tare("run", worker), "is not a tare benchmark", "not JSON")

    def test_a_worker_of_another_version(self):
        worker = self.script("newer", "#!/bin/sh\neval 'echo \"{\\\"tare\\\":99}\" >&'$TARE_WORKER_FD\nsleep 100\n")
        self.assert_refused(self.tare("run", worker), "version 99", "build both from one release")

    def test_no_binary_at_all(self):
        self.assert_refused(self.tare("run"), "see 'tare run --help'")


def answering(answers):
    """A worker in Python that sends these lines after its hello, one per request."""
    return f"""#!/usr/bin/env python3
import os, socket
s = socket.socket(fileno=int(os.environ["TARE_WORKER_FD"]))
f = s.makefile("rw")
def say(text):
    f.write(text + "\\n"); f.flush()
say('{{"tare":1}}')
listed = '{{"ok":[{{"name":"b"}}]}}'
for line in f:
    if '"list"' in line: say(listed); continue
    if '"quit"' in line: break
    answers = {answers!r}
    say(answers[min(globals().setdefault("n", 0), len(answers) - 1)]); n += 1
"""


class Workers(CliTest):
    """A benchmark that goes wrong loses only itself, and says why."""

    def outcome(self, pattern, *arguments):
        benchmark, = self.json_of(pattern, *arguments)["benchmarks"]
        return benchmark["outcome"], benchmark["message"], benchmark["metrics"]

    def test_crash(self):
        outcome, message, metrics = self.outcome("bad/segfault")
        self.assertEqual((outcome, metrics), ("crashed", []))
        self.assertIn("signal 11", message)
        self.assertIn("about to crash", message)

    def test_exit(self):
        outcome, message, _ = self.outcome("bad/exit")
        self.assertEqual(outcome, "crashed")
        self.assertIn("exit code 7", message)

    def test_hang(self):
        outcome, message, _ = self.outcome("bad/hang", "--time-limit", "1s")
        self.assertEqual(outcome, "timed_out")

    def test_exception(self):
        self.assertEqual(self.outcome("bad/throws")[:2], ("failed", "thrown on purpose"))

    def test_wrong_answer_gives_no_time(self):
        outcome, message, metrics = self.outcome("bad/check")
        self.assertEqual((outcome, metrics), ("check_failed", []))
        self.assertIn("gradient off by 3", message)
        table = self.run_fixture("bad/check")
        self.assertEqual(table.returncode, 2)
        self.assertNotRegex(table.stdout, r"\d (ns|µs|ms)\b")

    def test_skip_is_not_a_failure(self):
        result = self.run_fixture("bad/skip")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no device here", result.stdout)

    def test_the_others_are_still_measured(self):
        result = self.run_fixture("^(good/told|bad/(segfault|throws|never))")
        self.assertEqual(result.returncode, 2)
        self.assertIn("1.00 ms", result.stdout)
        self.assertIn("2.00 ms", result.stdout)
        self.assertIn("signal 11", result.stdout)
        stored = json.loads(self.tare("show", "last", "--format", "json").stdout)
        self.assertEqual(len(stored["benchmarks"]), 5)

    def test_a_gigabyte_on_stdout_and_much_on_stderr(self):
        result = self.run_fixture("loud")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertLess(len(result.stdout), 10_000)

    def test_rubbish_instead_of_answers(self):
        for answer in ["rubbish", "{}", '{"ok":5}', '{"ok":{"phases":[]}}', '{"ok":{"granularity":0}}', "[" * 5000]:
            with self.subTest(answer=answer[:30]):
                result = self.tare("run", self.script("worker", answering([answer])), *QUICK, "--format", "json")
                self.assertEqual(result.returncode, 2, result.stderr)
                benchmark, = json.loads(result.stdout)["benchmarks"]
                self.assertEqual(benchmark["outcome"], "failed")
                self.assertIn("makes no sense", benchmark["message"])

    def test_impossible_samples(self):
        good = '{"ok":{"phases":[""]}}'
        for answer in ['{"ok":[]}', '{"ok":[{"totals":[-5]}]}', '{"ok":[{"totals":[1,2]}]}', '{"ok":[{"totals":[1e999]}]}']:
            with self.subTest(answer=answer):
                result = self.tare("run", self.script("worker", answering([good, answer])), *QUICK, "--format", "json")
                benchmark, = json.loads(result.stdout)["benchmarks"]
                self.assertEqual((benchmark["outcome"], benchmark["metrics"]), ("failed", []))


class Arguments(CliTest):
    def test_filter_that_matches_nothing(self):
        self.assert_refused(self.run_fixture("no such name"), "none of the", "tare list")

    def test_bad_regular_expression(self):
        self.assert_refused(self.run_fixture("good["), "'good['", "not a regular expression")

    def test_bad_values(self):
        for option, value, word in [("--budget", "0s", "more than zero"), ("--budget", "-3s", "more than zero"),
                                    ("--budget", "ten", "10s"), ("--budget", "10", "10s"), ("--precision", "0", "0"),
                                    ("--precision", "200%", "100 %"), ("--time-limit", "x", "duration"),
                                    ("--param", "novalue", "key=value"), ("--tag", "=x", "key=value"),
                                    ("--note", "x", "key=value"), ("--meters", "speed", "there is no meter 'speed'"),
                                    ("--pin", "9999", "CPU 9999"), ("--watts-per-core", "-1", "watts"),
                                    ("--seed", "-1", "--seed"), ("--format", "xml", "--format"),
                                    ("--out", "/no/such/folder/x", "/no/such/folder/x")]:
            with self.subTest(option=option, value=value):
                self.assert_refused(self.tare("run", FIXTURE, f"{option}={value}"), word)

    def test_unknown_command_and_option(self):
        self.assert_refused(self.tare("frobnicate"), "--help")
        self.assert_refused(self.tare("run", FIXTURE, "--frobnicate"), "--help")
        self.assert_refused(self.tare(), "--help")

    def test_a_run_that_is_not_there(self):
        self.assert_refused(self.tare("show"), "there is no store yet", "tare run")
        self.run_fixture("good/told")
        self.assert_refused(self.tare("show", "7"), "7")
        self.assert_refused(self.tare("show", "last~5"), "last~5")
        self.assert_refused(self.tare("show", "sometime"), "sometime")
        self.assert_refused(self.tare("show", "1", "no such benchmark"), "no such benchmark", "tare show 1")


class StoreFiles(CliTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "results.db"

    def measure(self, **kwargs):
        return self.run_fixture("good/told/ms=1", "--store", self.path, **kwargs)

    def test_corrupt(self):
        self.path.write_bytes(b"this is not a database" * 1000)
        self.assert_refused(self.measure(), "results.db", "--store")
        self.assertEqual(self.path.read_bytes()[:22], b"this is not a database", "the file is left as it was")

    def test_newer_schema(self):
        self.measure()
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA user_version = 1000")
        self.assert_refused(self.measure(), "results.db", "newer")

    def test_a_directory(self):
        self.path.mkdir()
        self.assert_refused(self.measure(), "results.db")

    def test_a_folder_that_cannot_be_written(self):
        self.assert_refused(self.run_fixture("good/told", "--store", "/proc/tare/results.db"), "/proc/tare")

    def test_locked_for_long(self):
        self.measure()
        holder = sqlite3.connect(self.path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        self.addCleanup(holder.close)
        self.assert_refused(self.run_fixture("good/told", "--store", self.path, "--wait", "200ms"), "results.db", "lock")

    def test_full_disk_keeps_what_was_measured(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        result = self.run_fixture("good/told", "--store", self.path, preexec_fn=limit)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn("results.db", result.stderr)

    def test_read_only_for_reading_commands_is_fine(self):
        self.measure()
        self.path.chmod(0o444)
        self.assertEqual(self.tare("runs", "--store", self.path).returncode, 0)


if __name__ == "__main__":
    main()
