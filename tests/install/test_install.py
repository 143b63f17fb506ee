"""cmake --install, then an outside project with find_package(tare), then tare on its binary."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TARE_SOURCE"])
BUILD = pathlib.Path(os.environ["TARE_BUILD"])


def run(*command, **kwargs):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **kwargs)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


class Install(unittest.TestCase):
    def test_an_outside_project_builds_against_the_installed_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
            headers = [p for p in (folder / "prefix/include").rglob("*") if p.is_file()]
            self.assertTrue(headers)
            for header in headers:
                self.assertNotIn("nlohmann", header.read_text(), "public headers stay light")
            run("cmake", "-S", ROOT / "tests/install/consumer", "-B", folder / "build", "-G", "Ninja",
                "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}",
                f"-DCMAKE_CXX_COMPILER={os.environ['TARE_CXX']}", f"-DCMAKE_CXX_FLAGS={os.environ.get('TARE_FLAGS', '')}")
            run("cmake", "--build", folder / "build")
            binary = folder / "build/my_bench"
            self.assertEqual(run(binary, "--list"), "sine\n")
            table = run(folder / "prefix/bin/tare", "run", binary, "--processes", 2, "--samples", 3, "--budget", "100ms",
                        cwd=folder)
            self.assertIn("sine", table)


if __name__ == "__main__":
    unittest.main(verbosity=2)
