"""tare baseline: names for stored runs, kept, listed, shown, replaced and removed; every mistake says what to do next."""
import json
import sqlite3
import subprocess

from harness import TARE, CliTest, main


class Baselines(CliTest):
    def setUp(self):
        super().setUp()
        for _ in range(2):
            self.assertEqual(self.run_fixture("^good/told/ms=1$").returncode, 0)

    def good(self, *arguments):
        result = self.tare("baseline", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def listed(self):
        return json.loads(self.good("list", "--json"))

    def test_the_last_run_is_saved_unless_another_is_named(self):
        self.assertIn("main names run 2: 1 benchmark", self.good("save", "main"))
        self.good("save", "early", "last~1", "--note", "the first one")
        self.good("save", "copy", "early")
        entries = {entry["name"]: entry for entry in self.listed()}
        self.assertEqual({name: entry["run"] for name, entry in entries.items()}, {"main": 2, "early": 1, "copy": 1})
        self.assertEqual(entries["early"]["note"], "the first one")
        self.assertGreater(entries["main"]["saved_unix_ms"], 1.7e12)
        text = self.good("list")
        self.assertIn("the first one", text)
        self.assertLess(text.index("early"), text.index("main"))

    def test_none_yet(self):
        self.assertIn("tare baseline save NAME", self.good("list"))
        self.assertEqual(self.listed(), [])

    def test_a_baseline_names_its_run_everywhere(self):
        self.good("save", "early", "1")
        shown = self.good("show", "early")
        self.assertIn("run 1", shown)
        self.assertEqual(self.tare("show", "early").stdout, shown)
        self.assertIn("process", self.good("show", "early", "good/told"))
        self.assertEqual(json.loads(self.good("show", "early", "--format", "json"))["id"], 1)

    def test_saving_over_one_must_be_asked_for(self):
        self.good("save", "main", "1")
        self.assert_refused(self.tare("baseline", "save", "main"), "exists and names run 1", "--replace")
        self.assertEqual(self.listed()[0]["run"], 1)
        self.good("save", "main", "--replace")
        self.assertEqual(self.listed()[0]["run"], 2)

    def test_removing_leaves_the_run(self):
        self.good("save", "main")
        self.assertIn("run 2 stays", self.good("remove", "main"))
        self.assertEqual(self.listed(), [])
        self.assertEqual(self.tare("show", "2").returncode, 0)
        self.assert_refused(self.tare("baseline", "remove", "main"), "no baseline 'main'", "tare baseline save")

    def test_unknown_ones(self):
        self.good("save", "main")
        self.assert_refused(self.tare("baseline", "show", "mian"), "no baseline 'mian'", "there are main")
        self.assert_refused(self.tare("baseline", "save", "x", "9"), "no run 9", "the newest is 2")
        self.assert_refused(self.tare("show", "mian"), "'mian' does not name a run", "there are main")

    def test_names_that_could_mean_something_else(self):
        for name in ("7", "last", "last~1", "a/b", "", "a b", "é", "x\ny"):
            self.assert_refused(self.tare("baseline", "save", name), "cannot name a baseline", "for example main")
        self.assertEqual(self.listed(), [])

    def test_wrong_use(self):
        self.assert_refused(self.tare("baseline"), "see 'tare baseline --help'")
        self.assert_refused(self.tare("baseline", "destroy"), "see 'tare baseline --help'")
        self.assert_refused(self.tare("baseline", "save"), "see 'tare baseline --help'")
        self.assert_refused(self.tare("baseline", "list", "--store", "nothing.db"), "there is no results store")

    def test_a_run_without_benchmarks_is_no_baseline(self):
        with sqlite3.connect(self.folder / ".tare/results.db") as database:
            database.execute("INSERT INTO run VALUES (7, 1000, '', 'f', 1, 2000)")
            database.execute("INSERT INTO run_detail VALUES (7, '', '', '{}', '{}', '[]', '[]')")
        self.assert_refused(self.tare("baseline", "save", "main"), "run 7 holds no benchmarks", "tare runs")

    def test_every_action_has_examples(self):
        for action in ("save", "list", "show", "remove"):
            result = self.tare("baseline", action, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout, action)

    def test_completion_knows_the_actions(self):
        for typed, expected in ((["baseline", "sh"], "show"), (["baseline", "save", "--rep"], "--replace")):
            words = " ".join(["tare", *typed])
            script = (f'source <("$0" completion bash); COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _tare; '
                      'echo "${COMPREPLY[@]}"')
            result = subprocess.run(["bash", "-c", script, TARE], capture_output=True, text=True)
            self.assertEqual(result.stdout.strip(), expected, result.stderr)


if __name__ == "__main__":
    main()
