"""The project's includes keep to tools/layers.txt, and the check sees one that does not."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TARE_SOURCE"])


def check(root):
    return subprocess.run([sys.executable, ROOT / "tools/check_layers.py", root], capture_output=True, text=True)


class Layers(unittest.TestCase):
    def test_the_project_keeps_to_them(self):
        result = check(ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_forbidden_include_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"tools/layers.txt": "a :\nb : a\n", "a/a.hpp": '#include "b/b.hpp"\n', "b/b.hpp": "",
                               "b/c.cpp": '#include "a/a.hpp"\n#include "missing.hpp"\n', "z/z.cpp": ""}.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text)
            result = check(root)
            self.assertEqual(result.returncode, 1)
            self.assertIn('a/a.hpp: a must not include "b/b.hpp"', result.stdout)
            self.assertIn('"missing.hpp" is not a path', result.stdout)
            self.assertIn("z/z.cpp: its folder is not", result.stdout)
            self.assertIn("3 forbidden", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
