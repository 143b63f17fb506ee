"""tare comply, submit, validate and rank on bad input; tests/suites/test_models.py has the good."""
from harness import CliTest, main


class Contest(CliTest):
    def submit(self, **changes):
        given = {"--baseline": "told/ms=1", "--optimised": "told/ms=2", "--model": self.script("model", "weights"), "--event": "all_around",
                 "--division": "open", "--athlete": "Ada", "--out": "ada.tare", "--key": "key", **changes}
        return self.tare("submit", "last", *(word for pair in given.items() for word in pair))

    def test_noise_is_no_submission(self):
        (self.folder / "noise.tare").write_bytes(bytes(range(256)))
        checked = self.tare("validate", "noise.tare")
        self.assertEqual(checked.returncode, 1)
        self.assertIn("FAILED format: this is no submission", checked.stdout)
        self.assertIn("not valid", checked.stdout)
        board = self.tare("rank", ".")
        self.assertEqual(board.returncode, 0, board.stderr)
        self.assertIn("rejected: noise.tare: format", board.stdout)

    def test_what_is_not_there_is_said(self):
        self.assert_refused(self.tare("validate", "nothing.tare"), "nothing.tare", "cannot be read")
        self.assert_refused(self.tare("rank", "nowhere"), "nowhere", "cannot be read")
        self.assert_refused(self.tare("validate", "x.tare", "--rerun"), "--binary")
        self.assert_refused(self.submit(), "no store yet")
        self.assert_refused(self.tare("comply", "--tasks", "nothing.toml"), "nothing.toml", "cannot be read")

    def test_results_without_accuracy_are_not_submitted(self):
        self.assertEqual(self.run_fixture("^good/told").returncode, 0)
        refused = self.submit()
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has no accuracy", refused.stderr)
        self.assertFalse((self.folder / "ada.tare").exists())
        self.assertFalse((self.folder / "key").exists(), "no key is made for nothing")

    def test_tasks_that_make_no_sense_are_refused(self):
        self.assertEqual(self.run_fixture("^good/told").returncode, 0)
        tasks = self.script("tasks.toml", "[[task]]\nname = 'a'\nbenchmark = 'x/{v}'\naccuracy = 0.5\nlatency = '1ms'\n")
        self.assert_refused(self.tare("comply", "--tasks", tasks), "--set v=")
        self.assert_refused(self.tare("comply", "--tasks", tasks, "--set", "v=1", "--latency", "p42"), "p42", "p99")
        failed = self.tare("comply", "--tasks", tasks, "--set", "v=1")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("x/1 was not measured", failed.stdout)


if __name__ == "__main__":
    main()
