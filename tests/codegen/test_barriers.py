"""keep(), opaque() and clobber() on the generated assembly, with GCC and, where it is installed, clang."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(os.environ["TARE_SOURCE"])


def functions(compiler):
    """Instructions of each function, as [mnemonic operands] lines."""
    text = subprocess.run([compiler, "-std=c++20", "-O3", "-S", "-o", "-", "-I", ROOT, "-fno-asynchronous-unwind-tables",
                           ROOT / "tests/codegen/barriers.cpp"], capture_output=True, text=True, check=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        if label := re.match(r"^(\w+):", line):
            name = label.group(1)
            found[name] = []
        elif name and re.match(r"^\s+[a-z]", line) and not re.match(r"^\s+\.", line):
            found[name].append(" ".join(line.split("#")[0].split()))
    return found


@unittest.skipUnless(os.uname().machine == "x86_64", "reads x86-64 assembly")
class Barriers(unittest.TestCase):
    def each(self):
        for compiler in (os.environ["TARE_CXX"], "clang++-19"):
            if shutil.which(compiler):
                with self.subTest(compiler=compiler):
                    yield functions(compiler)

    def test_keep_saves_the_computation_and_nothing_more(self):
        for code in self.each():
            self.assertNotIn("imul", " ".join(code["square_dropped"]))
            self.assertIn("imul", " ".join(code["square_kept"]))
            self.assertIn("mulsd", " ".join(code["double_kept"]))
            self.assertEqual(len(code["keep_nothing_else"]), 1, code["keep_nothing_else"])

    def test_keep_makes_no_copy_of_a_large_object(self):
        for code in self.each():
            self.assertEqual(len(code["large_not_copied"]), 1, code["large_not_copied"])

    def test_opaque_prevents_folding(self):
        for code in self.each():
            self.assertIn("$42", " ".join(code["folded"]))
            self.assertNotIn("$42", " ".join(code["not_folded"]))

    def test_clobber_keeps_both_stores(self):
        stores = lambda lines: [l for l in lines if re.match(r"movl \$[12], \(%rdi\)", l)]
        for code in self.each():
            self.assertEqual(len(stores(code["stores_dropped"])), 1)
            self.assertEqual(len(stores(code["stores_kept"])), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
