"""tare cmd: whole commands with real processes. Only differences that no machine hides decide anything here."""
import json
import os
import signal
import subprocess
import time

from harness import TARE, CliTest, main

SHORT = ["--rounds", "6"]


class Cmd(CliTest):
    def cmd(self, *arguments, **kwargs):
        return self.tare("cmd", *arguments, **kwargs)

    def json_cmd(self, *arguments, code=0):
        rounds = [] if "--rounds" in arguments else SHORT
        result = self.cmd(*arguments, *rounds, "--format", "json")
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def lines(self, name):
        return (self.folder / name).read_text().split()


class Verdicts(Cmd):
    def test_slower_and_faster(self):
        slower = self.cmd("sleep 0.01", "sleep 0.2", *SHORT)
        self.assertEqual(slower.returncode, 1, slower.stdout + slower.stderr)
        self.assertRegex(slower.stdout, r"sleep 0.01 → sleep 0.2 .*× slower .*6 rounds")
        faster = self.cmd("sleep 0.2", "sleep 0.01", *SHORT, "--no-shell")
        self.assertEqual(faster.returncode, 0, faster.stdout + faster.stderr)
        self.assertIn("× faster", faster.stdout)

    def test_several_are_compared_with_the_first_and_all_of_it_is_in_the_json(self):
        found = self.json_cmd("sleep 0.1", "sleep 0.001", "sleep 0.3", "--rounds", "8", code=1)
        self.assertTrue(found["paired"])
        self.assertEqual([pair["before"]["name"] for pair in found["benchmarks"]], ["sleep 0.1"] * 2)
        self.assertEqual([pair["after"]["name"] for pair in found["benchmarks"]], ["sleep 0.001", "sleep 0.3"])
        times = [next(m for m in pair["metrics"] if m["metric"] == "time") for pair in found["benchmarks"]]
        self.assertEqual([row["verdict"] for row in times], ["better", "worse"])
        self.assertTrue(all(row["corrected_p"] >= row["p"] for row in times))

    def test_the_budget_ends_it_and_markdown_tells_it(self):
        result = self.cmd("sleep 0.002", "sleep 0.2", "--budget", "3s", "--format", "markdown", "--out", "r.md")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn("slower", (self.folder / "r.md").read_text())

    def test_three_rounds_decide_nothing(self):
        result = self.cmd("sleep 0.001", "sleep 0.02", "--rounds", "3")
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("too few repetitions", " ".join(result.stdout.split()))

    def test_one_command_is_measured(self):
        run = self.json_cmd("sleep 0.01")
        (result,) = run["benchmarks"]
        metrics = {metric["name"]: metric for metric in result["metrics"]}
        self.assertEqual(set(metrics), {"time", "cpu_time", "peak_rss"})
        self.assertGreater(metrics["time"]["overhead"]["fixed"], 0)
        self.assertGreater(metrics["time"]["summary"]["time"]["point"], 5e6)
        self.assertEqual(self.cmd("sleep 0.01", "--no-shell", *SHORT).returncode, 0)

    def test_results_are_kept_with_all_samples(self):
        self.json_cmd("sleep 0.001", "sleep 0.2", "--name", "short", "--name", "long", "--note", "why=test", code=1)
        shown = json.loads(self.tare("show", "last", "--format", "json").stdout)
        self.assertEqual([result["full_name"] for result in shown["benchmarks"]], ["short", "long"])
        self.assertEqual(shown["tags"]["why"], "test")
        samples = self.tare("show", "last", "--format", "samples").stdout.splitlines()
        self.assertEqual(sum(",long,time," in line for line in samples), 12)
        self.cmd("sleep 0.001", "--no-store", *SHORT)
        self.assertEqual(len(json.loads(self.tare("runs", "--json").stdout)), 1)

    def test_the_same_command_twice_is_two_benchmarks(self):
        # Three rounds: more would tell identical commands apart one time in twenty.
        found = self.json_cmd("sleep 0.01", "sleep 0.01", "--rounds", "3", code=3)
        self.assertEqual(found["benchmarks"][0]["after"]["name"], "sleep 0.01 (2)")


class Around(Cmd):
    def test_prepare_runs_before_every_execution(self):
        result = self.cmd("rm a; sleep 0.01", "rm b; sleep 0.02", "--prepare", "touch a; echo a >> log",
                          "--prepare", "touch b; echo b >> log", "--rounds", "3", "--no-store")
        self.assertIn(result.returncode, (0, 1, 3), result.stdout + result.stderr)
        # Once untimed, then twice in each round.
        self.assertEqual(sorted(self.lines("log")), ["a"] * 7 + ["b"] * 7)
        self.json_cmd("rm c; sleep 0.001", "rm c; sleep 0.2", "--prepare", "touch c", code=1)

    def test_parameters_multiply(self):
        result = self.cmd("sleep 0.0{n}; echo {word}{n} >> log", "sleep 0.0{n}", "--parameter", "n=1,2", "--parameter",
                          "word=x,y", "--rounds", "1", "--format", "json")
        found = json.loads(result.stdout)
        self.assertEqual([dict(pair["after"]["parameters"]) for pair in found["benchmarks"]],
                         [{"n": n, "word": word} for n in "12" for word in "xy"])
        self.assertEqual(sorted(self.lines("log")), ["x1"] * 3 + ["x2"] * 3 + ["y1"] * 3 + ["y2"] * 3)

    def test_input_is_given_to_every_execution(self):
        (self.folder / "in put").write_text("hello\n")
        reads = "read w; sleep 0.01; test $w = hello"
        self.json_cmd(reads, "--input", "in put")
        self.json_cmd(reads, code=2)

    def test_same_output(self):
        (self.folder / "x").write_text("1\n2\n3\n")
        good = self.cmd("sleep 0.001; cat x", "sleep 0.2; cat < x", "--same-output", *SHORT)
        self.assertEqual(good.returncode, 1, good.stdout)
        bad = self.cmd("cat x", "printf '1\\n4\\n3\\n'", "--same-output", *SHORT)
        self.assertEqual(bad.returncode, 2, bad.stdout)
        self.assertIn("differs from the first command's in line 2: '4' instead of '2'", " ".join(bad.stdout.split()))
        short = self.cmd("cat x", "head -n 2 x", "--same-output", *SHORT)
        self.assertIn("in line 3: nothing instead of '3'", " ".join(short.stdout.split()))
        self.assertEqual(short.returncode, 2)


class Failures(Cmd):
    def assert_told(self, result, *words):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        text = " ".join(result.stdout.split())
        for word in words:
            self.assertIn(word, text)

    def test_an_exit_code(self):
        self.assert_told(self.cmd("sleep 0.001", "echo what went wrong >&2; exit 7", *SHORT), "exit code 7",
                         "what went wrong", "echo what went wrong")
        self.assert_told(self.cmd("exit 7", *SHORT), "exit code 7")
        self.assert_told(self.cmd("exit 7", "sleep 0.001", *SHORT), "exit code 7")

    def test_a_failure_may_be_ignored(self):
        result = self.cmd("sleep 0.001; exit 1", "sleep 0.02; kill -SEGV $$", "--ignore-failure", *SHORT)
        self.assertEqual(result.returncode, 1, result.stdout)

    def test_a_signal(self):
        self.assert_told(self.cmd("sleep 0.001", "kill -SEGV $$", *SHORT), "signal 11")

    def test_one_that_fails_later(self):
        later = "test $(wc -l < log) -lt 9 || { echo enough >&2; exit 5; }"
        result = self.cmd("echo x >> log; " + later, "sleep 0.01", "--rounds", "20")
        self.assert_told(result, "exit code 5: enough")

    def test_the_time_limit(self):
        begun = time.monotonic()
        self.assert_told(self.cmd("sleep 0.001", "sleep 30 & sleep 30", "--time-limit", "200ms", *SHORT), "200 ms",
                         "killed")
        self.assertLess(time.monotonic() - begun, 15)

    def test_a_prepare_that_fails(self):
        self.assert_told(self.cmd("sleep 0.001", "--prepare", "exit 4", *SHORT), "--prepare 'exit 4': exit code 4")

    def test_a_missing_program(self):
        self.assert_told(self.cmd("sleep 0.001", "no-such-program", *SHORT), "exit code 127", "not found")
        self.assert_refused(self.cmd("sleep 0.001", "no-such-program", "--no-shell"), "no-such-program", "PATH")

    def test_the_others_are_still_compared(self):
        found = self.json_cmd("sleep 0.001", "exit 3", "sleep 0.02", code=2)
        self.assertEqual([pair["outcome"] for pair in found["benchmarks"]], ["failed", "ok"])

    def test_interrupted_it_keeps_what_there_is(self):
        with subprocess.Popen([TARE, "cmd", "sleep 0.01; echo x >> log", "sleep 0.02", "--budget", "60s"],
                              cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while not (self.folder / "log").exists() or len(self.lines("log")) < 4:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 2)
        self.assertIn("cancelled", errors)
        self.assertIn("kept as run 1", errors)
        shown = json.loads(self.tare("show", "1", "--format", "json").stdout)
        self.assertEqual(len(shown["benchmarks"]), 2)


class Refused(Cmd):
    def test_bad_commands(self):
        self.assertEqual(self.cmd().returncode, 2)
        self.assert_refused(self.cmd("sleep 0.001", "  "), "command is empty")
        self.assert_refused(self.cmd("echo 'a", "--no-shell"), "does not end")
        self.assert_refused(self.cmd("cat a | wc", "--no-shell"), "needs a shell for |")
        self.assert_refused(self.cmd("echo $HOME", "--no-shell"), "needs a shell for $")

    def test_bad_parameters(self):
        self.assert_refused(self.cmd("echo {n} {m}", "--parameter", "n=1"), "{m}", "--parameter m")
        self.assert_refused(self.cmd("echo {n}", "--parameter", "n=1", "--prepare", "echo {m}"), "--prepare", "{m}")
        self.assert_refused(self.cmd("echo", "--parameter", "n=1"), "no command has {n}")
        self.assert_refused(self.cmd("echo {n}", "--parameter", "n"), "--parameter", "assignment")
        self.assert_refused(self.cmd("echo {n}", "--parameter", "n=1,,2"), "empty value")

    def test_bad_options(self):
        self.assert_refused(self.cmd("a", "b", "--name", "x"), "1 names for 2 commands")
        self.assert_refused(self.cmd("a", "b", "c", "--prepare", "x", "--prepare", "y"), "2 of them for 3 commands")
        self.assert_refused(self.cmd("a", "--same-output"), "second")
        self.assert_refused(self.cmd("a", "--input", "nowhere"), "cannot read nowhere")
        self.assert_refused(self.cmd("a", "--budget", "10"), "--budget")
        self.assert_refused(self.cmd("a", "--time-limit", "x"), "--time-limit")
        self.assert_refused(self.cmd("a", "--rounds", "0"), "--rounds")
        self.assert_refused(self.cmd("a", "--allow", "machine"), "--allow")
        self.assertFalse(os.path.exists(self.folder / ".tare"), "nothing is written for what is refused")


if __name__ == "__main__":
    main()
