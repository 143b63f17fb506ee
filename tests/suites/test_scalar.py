"""The scalar suite's budgets: our own engine within them on every exact metric, and a gate that would notice."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest

SOURCE = pathlib.Path(os.environ["TARE_SOURCE"])
SUITE = SOURCE / "suites" / "scalar"
SCALAR = os.environ["TARE_SCALAR"]

spec = importlib.util.spec_from_file_location("write_budgets", SUITE / "write_budgets.py")
writer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(writer)


def gate(budget, filter, meters="allocations"):
    # Both sides are the same program: the limits are about what it takes, not about a change.
    return subprocess.run(
        [os.environ["TARE"], "gate", "--baseline", SCALAR, SCALAR, "--budget", str(budget), "--filter", filter,
         "--processes", "1", "--rounds", "1", "--no-store", "--meters", meters],
        # Clearing by one instruction counts as one for each byte: by plain stores instead.
        env={**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.x86_rep_stosb_threshold={1 << 40}"},
        capture_output=True, text=True, timeout=500)


class Budgets(unittest.TestCase):
    def check(self, file, *how):
        result = gate(SUITE / file, *how)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        judged = int(re.search(r"(\d+) findings", result.stdout)[1])
        limits = sum(len(b) - 1 for b in tomllib.loads((SUITE / file).read_text())["budget"])
        self.assertGreaterEqual(judged, limits, "every limit of the file had something to judge")

    def test_our_engine_is_within_them(self):
        self.check("budgets.toml", writer.FILTER)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is absent")
    def test_our_engine_executes_no_more_instructions(self):
        self.check("instructions.toml", writer.FILTER_INSTRUCTIONS, "instructions")

    def test_one_entry_more_is_noticed(self):
        text = (SUITE / "budgets.toml").read_text()
        name = "^ode/engine=real/n=10$"
        block = re.search(re.escape(f'match = "{name}"') + r"\n.*\ntape_entries = \{ max = (\d+) \}", text)
        with tempfile.TemporaryDirectory() as folder:
            tighter = pathlib.Path(folder) / "budgets.toml"
            tighter.write_text(text.replace(block[0], block[0].replace(block[1], str(int(block[1]) - 1))))
            result = gate(tighter, name)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("tape_entries", result.stdout)

    def test_claims_can_be_read(self):
        for name in ("hypotheses.toml", "goals.toml"):
            claims = tomllib.loads((SUITE / name).read_text())["hypothesis"]
            self.assertEqual(len({c["claim"] for c in claims}), len(claims), "claims are told apart by their text")
            for claim in claims:
                self.assertLessEqual(set(claim), {"claim", "metric", "per", "filter", "of", "to", "over", "at_most"})


if __name__ == "__main__":
    unittest.main()
