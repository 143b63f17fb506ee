"""What the command-line tests share: a temporary project folder and a way to run tare in it."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TARE = os.environ["TARE"]
FIXTURE = os.environ["TARE_FIXTURE"]

# Told times and fixed counts: nothing depends on how fast this machine is.
QUICK = ["--processes", "2", "--samples", "3", "--meters", "none"]


class CliTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tare cli ")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def tare(self, *arguments, timeout=120, **kwargs):
        return subprocess.run([TARE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, errors="replace", **kwargs)

    def run_fixture(self, pattern, *arguments, **kwargs):
        return self.tare("run", FIXTURE, "--filter", pattern, *QUICK, *arguments, **kwargs)

    def json_of(self, pattern, *arguments):
        result = self.run_fixture(pattern, "--format", "json", *arguments)
        return json.loads(result.stdout)

    def assert_refused(self, result, *words):
        """Exit code 2, nothing on standard output, and one line that holds all the words."""
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("tare: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path


def main():
    unittest.main(verbosity=2)
