"""tare power and tare test: the figures against known ones, stored runs, and every mistake said clearly."""
import json

from harness import FIXTURE, CliTest, main

A = "12.1, 10.4, 11.8 15.2 9.9\n10.7 30.5 11.1 # a late one\n10.2 12.9 11.5 10.8\n"
B = "11.2\n9.7\n10.1\n13.3\n9.1\n10.3\n12.2\n9.6\n"


class Statistics(CliTest):
    def setUp(self):
        super().setUp()
        self.a = self.folder / "a.txt"
        self.b = self.folder / "b.txt"
        self.a.write_text(A)
        self.b.write_text(B)

    def good(self, *arguments, **kwargs):
        result = self.tare(*arguments, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def answered(self, *arguments, **kwargs):
        answer = json.loads(self.good("test", *arguments, "--json", **kwargs))
        return answer, {(test["test"], test["quantity"]): test for test in answer["tests"]}

    def power_of(self, *arguments):
        return json.loads(self.good("power", *arguments, "--json"))

    def doubts(self, answer):
        return {warning["doubt"] for warning in answer["warnings"]}

    def measured(self, processes, count=2):
        for _ in range(count):
            result = self.tare("run", FIXTURE, "--filter", "^good/(told|checked)", "--processes", processes,
                               "--samples", "3", "--meters", "none")
            self.assertEqual(result.returncode, 0, result.stderr)


class Power(Statistics):
    # Expected values: tools/reference_values.py and power_test.cpp.
    def test_processes_for_an_effect(self):
        answer = self.power_of("--effect", "2%", "--deviation", "2.5%")
        self.assertEqual(answer["design"], "paired")
        self.assertEqual(answer["asked"], {"effect": 0.02, "processes": 15})
        independent = self.power_of("--effect", "2%", "--deviation", "2.5%", "--power", "90%", "--alpha", "1%",
                                    "--design", "independent")
        self.assertEqual(independent["asked"]["processes"], 50)
        self.assertEqual((independent["power"], independent["alpha"]), (0.9, 0.01))

    def test_effect_of_processes(self):
        answer = self.power_of("--processes", "10", "--deviation", "0.025")
        self.assertAlmostEqual(answer["asked"]["effect"], 0.0252126292896, 12)
        self.assertEqual(answer["asked"]["processes"], 10)

    def test_the_table_surrounds_what_was_asked(self):
        text = self.good("power", "--effect", "0.7%", "--deviation", "1%")
        self.assertLess(text.index("0.50 %"), text.index("0.70 %"))
        self.assertLess(text.index("0.70 %"), text.index("2.0  %"))
        self.assertIn("A change of 0.70 % takes 19 pairs of processes", " ".join(text.split()))
        rows = self.power_of("--effect", "0.7%", "--deviation", "1%")["table"]
        self.assertEqual(sorted((r["effect"] for r in rows)), [r["effect"] for r in rows])
        self.assertEqual(len(rows), 7)
        self.assertEqual(len(self.power_of("--effect", "1%", "--deviation", "1%")["table"]), 6, "asked for once")

    def test_what_no_budget_reaches(self):
        answer = self.power_of("--effect", "0.01%", "--deviation", "60%")
        self.assertIsNone(answer["asked"]["processes"])
        self.assertIn("more than a million", self.good("power", "--effect", "0.01%", "--deviation", "60%"))

    def test_the_deviation_of_stored_runs(self):
        self.measured(4)
        # Told times do not differ between processes.
        self.assert_refused(self.tare("power", "--effect", "1%", "--run", "last", "--benchmark", "good/checked"),
                            "good/checked of run 2", "all values are equal", "--deviation")
        self.measured_unequal()
        answer = self.power_of("--effect", "1%", "--run", "last", "--benchmark", "good/allocates")
        self.assertEqual(answer["design"], "independent")
        self.assertIn("3 processes", answer["source"])
        self.assertGreater(answer["deviation"]["point"], 0)
        self.assertLess(answer["deviation"]["low"], answer["deviation"]["point"])
        self.assertEqual(self.doubts(answer), {"few_samples"})
        paired = self.power_of("--effect", "1%", "--run", "last~1", "--against", "last", "--benchmark", "good/allocates")
        self.assertEqual(paired["design"], "paired")
        self.assertIn("3 pairs", paired["source"])
        pooled = self.power_of("--effect", "1%", "--run", "last~1", "--against", "last", "--benchmark", "good/allocates",
                               "--design", "independent")
        self.assertIn("3 and 3 processes", pooled["source"])
        self.assert_refused(self.tare("power", "--effect", "1%", "--run", "last", "--benchmark", "good/allocates",
                                      "--design", "paired"), "--against RUN")

    def measured_unequal(self):
        for _ in range(2):
            result = self.tare("run", FIXTURE, "--filter", "^good/allocates", "--processes", "3", "--samples", "5",
                               "--meters", "none")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_wrong_use(self):
        deviation = ["--deviation", "0.5%"]
        self.assert_refused(self.tare("power", *deviation), "--effect", "--processes")
        self.assert_refused(self.tare("power", "--effect", "1%", "--processes", "9", *deviation), "either")
        self.assert_refused(self.tare("power", "--effect", "1%"), "--deviation", "--run")
        self.assert_refused(self.tare("power", "--effect", "1%", *deviation, "--run", "last"), "either")
        self.assert_refused(self.tare("power", "--effect", "fast", *deviation), "--effect: 'fast'", "1%")
        self.assert_refused(self.tare("power", "--effect", "0", *deviation), "--effect")
        self.assert_refused(self.tare("power", "--effect", "1%", "--deviation", "-1"), "--deviation")
        self.assert_refused(self.tare("power", "--processes", "1", *deviation), "see 'tare power --help'")
        self.assert_refused(self.tare("power", "--effect", "1%", *deviation, "--power", "100%"), "--power")
        self.assert_refused(self.tare("power", "--effect", "1%", *deviation, "--power", "4%"), "above --alpha")
        self.assert_refused(self.tare("power", "--effect", "1%", *deviation, "--design", "odd"), "odd")
        self.assert_refused(self.tare("power", "--effect", "1%", *deviation, "--benchmark", "x"), "--run")
        self.assert_refused(self.tare("power", "--effect", "1%", "--run", "last"), "--benchmark")
        self.assert_refused(self.tare("power", "--effect", "1%", "--run", "last", "--benchmark", "x"), "no store yet")


class Test(Statistics):
    # Expected values: tools/reference_values.py.
    def test_every_test_of_two_files(self):
        answer, tests = self.answered(self.b, self.a)
        self.assertEqual((answer["a"]["n"], answer["b"]["n"], answer["paired"]), (8, 12, False))
        welch = tests["Welch t", "difference of means"]
        self.assertAlmostEqual(welch["statistic"], 1.40274829869, 10)
        self.assertAlmostEqual(welch["p"], 0.184041149818, 11)
        self.assertAlmostEqual(welch["effect"]["low"], -1.29718193647, 9)
        whitney = tests["Mann-Whitney", "shift"]
        self.assertEqual((whitney["statistic"], whitney["method"]), (68, "Mann-Whitney, exact"))
        self.assertAlmostEqual(whitney["p"], 0.134936889736, 11)
        self.assertAlmostEqual(tests["permutation", "difference of means"]["p"], 0.276, 1)
        delta = tests["Cliff's delta", "P(B > A) − P(B < A)"]
        self.assertAlmostEqual(delta["effect"]["point"], 0.416666666667, 11)
        self.assertNotIn("p", delta)
        self.assertAlmostEqual(tests["bootstrap", "ratio of means"]["effect"]["point"], 1.22495126706, 10)
        self.assertLess(tests["bootstrap", "ratio of medians"]["effect"]["low"], 1)
        text = self.good("test", self.b, self.a)
        for word in ("Welch t", "Mann-Whitney", "permutation", "Cliff's delta", "ratio of means", "p 0.18", "U 68",
                     "95 % interval", "B − A"):
            self.assertIn(word, text)

    def test_pairs(self):
        ones = self.folder / "ones.txt"
        twos = self.folder / "twos.txt"
        ones.write_text("0 " * 10)
        twos.write_text("0.021 -0.004 0.013 0.034 0.008 -0.011 0.087 0.016 0.002 0.019")
        answer, tests = self.answered(ones, twos, "--paired")
        self.assertTrue(answer["paired"])
        t = tests["paired t", "mean difference"]
        self.assertAlmostEqual(t["statistic"], 2.13865289762, 10)
        self.assertAlmostEqual(t["p"], 0.0611550727954, 11)
        self.assertEqual(tests["Wilcoxon", "shift"]["p"], 0.02734375)
        self.assertEqual(tests["sign changes", "mean difference"]["p"], 0.025390625)
        self.assert_refused(self.tare("test", self.a, self.b, "--paired"), "A has 12 and B has 8")

    def test_standard_input(self):
        _, tests = self.answered("-", self.a, input=B)
        self.assertEqual(tests["Mann-Whitney", "shift"]["statistic"], 68)
        self.assert_refused(self.tare("test", "-", "-", input=B), "only one side")
        self.assert_refused(self.tare("test", "-", self.a, input="1 x"), "standard input:1:3: 'x' is not a number")

    def test_few_values_are_doubted(self):
        few = self.folder / "few.txt"
        few.write_text("1 2 3")
        answer, tests = self.answered(few, few)
        self.assertEqual(self.doubts(answer), {"few_samples", "interval_unreliable"})
        self.assertIsNone(tests["Mann-Whitney", "shift"]["effect"]["low"])
        self.assertIn("cannot be surer than p 0.10", self.good("test", few, few))
        many = self.folder / "many.txt"
        many.write_text("\n".join(str(i % 7 + i / 100) for i in range(40)))
        self.assertEqual(self.doubts(self.answered(many, many)[0]), set())

    def test_equal_and_single_values_are_undefined(self):
        one = self.folder / "one.txt"
        one.write_text("5")
        for extra in ([], ["--paired"]):
            _, tests = self.answered(one, one, *extra)
            self.assertIsNone(next(iter(tests.values()))["p"])
            self.assertIn("undefined", self.good("test", one, one, *extra))

    def test_confidence_and_seed(self):
        wide = self.answered(self.b, self.a, "--confidence", "99%")[1]["Welch t", "difference of means"]["effect"]
        self.assertLess(wide["low"], -1.3)
        self.assertEqual(wide["confidence"], 0.99)
        first, same, other = (self.answered(self.b, self.a, "--seed", seed)[1]["permutation", "difference of means"]["p"]
                              for seed in (1, 1, 2))
        self.assertEqual(first, same)
        self.assertNotEqual(first, other)

    def test_stored_runs(self):
        self.measured(3)
        answer, tests = self.answered("last~1", "last", "--benchmark", "good/told/ms=1")
        self.assertEqual((answer["unit"], answer["a"]["n"], answer["a"]["name"]), ("ns", 3, "good/told/ms=1 of run 1"))
        self.assertIn("uncontrolled_drift", self.doubts(answer))
        self.assertAlmostEqual(tests["bootstrap", "ratio of means"]["effect"]["point"], 1, 2)
        self.assertEqual(self.answered("1", "2", "--benchmark", "ms=1")[0]["a"], answer["a"])
        self.assertIn("ms", self.good("test", "1", "2", "--benchmark", "ms=1"))
        counter = self.answered("1", "2", "--benchmark", "good/checked", "--metric", "tape_entries")[0]
        self.assertAlmostEqual(counter["b"]["mean"], 42)
        self.assert_refused(self.tare("test", "1", "2", "--benchmark", "told"), "matches 2 benchmarks", "good/told/ms=2")
        self.assert_refused(self.tare("test", "1", "2", "--benchmark", "nothing"), "no benchmark named 'nothing'")
        self.assert_refused(self.tare("test", "1", "9", "--benchmark", "ms=1"), "no run 9")
        self.assert_refused(self.tare("test", "1", "2", "--benchmark", "ms=1", "--metric", "joy"), "no metric 'joy'", "time")

    def test_wrong_use(self):
        bad = self.folder / "bad.txt"
        bad.write_text("1\n2, oops\n")
        self.assert_refused(self.tare("test", self.a, bad), "bad.txt:2:4: 'oops' is not a number")
        bad.write_text("1 nan")
        self.assert_refused(self.tare("test", bad, self.a), "bad.txt:1:3: 'nan' is not a finite number")
        bad.write_text("# nothing\n")
        self.assert_refused(self.tare("test", bad, self.a), "holds no numbers")
        bad.write_text("1 " * 5001)
        self.assert_refused(self.tare("test", bad, self.a), "5001 numbers", "at most 5000")
        bad.write_bytes(b"\xff\xfe1\x00")
        self.assert_refused(self.tare("test", bad, self.a), "bad.txt:1:1")
        self.assert_refused(self.tare("test", "missing.txt", self.a), "cannot read missing.txt", "--benchmark")
        self.assert_refused(self.tare("test", self.folder, self.a), "cannot read")
        self.assert_refused(self.tare("test", self.a), "see 'tare test --help'")
        self.assert_refused(self.tare("test", self.a, self.b, "--confidence", "20%"), "--confidence")


if __name__ == "__main__":
    main()
