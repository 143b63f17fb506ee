"""The documents tell the truth: their commands run, their code compiles, their names and links exist.

Commands are the lines of ```sh blocks and lines that start with "$ " in other blocks. Each document's commands run in
order in one folder of its own, with tare on the PATH. A comment "# exit code N" states another exit code than 0.
Outputs are not compared, since times differ; the columns they show must still exist.
"""
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["TARE_SOURCE"])
BIN = pathlib.Path(os.environ["TARE_BUILD"]) / "bin"
TARE = os.environ["TARE"]

sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

NOT_RUN = {
    "make run": "measures the whole suite, for minutes",
    "make test": "runs this test",
    "tools/setup": "may install packages",
    "cmake --preset release && cmake --build build/release": "built this test",
    "ctest --test-dir build/release -j2": "runs this test",
    "ctest --test-dir build/release -R '^support_tests'": "runs inside ctest already",
    "ctest --test-dir build/release -LE 'slow|tool'": "runs inside ctest already",
    "gdb --args ./my_bench --in-process --filter '^sum$'": "waits for a person",
    "TARE_BARE_BENCHMARK=sum TARE_BARE_ITERATIONS=10000000 perf record ./my_bench": "perf is not among the packages",
}

# Options of other programs.
FOREIGN = {"--preset", "--build", "--target", "--install", "--prefix", "--test-dir", "--args"}

# Added to commands that measure and do not say otherwise: what is measured here does not matter.
QUICK_PAIRS = {"--processes": "6", "--rounds": "2"}
QUICK = {"--processes": "2", "--samples": "3", "--budget": "50ms"}
QUICK_COMMANDS = {"--budget": "50ms"}


def name(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """(language, text) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def commands(page):
    """(command, exit code, lines shown after it)."""
    for language, text in blocks(page):
        lines = text.splitlines()
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ") or (language == "sh" and line.strip())]
        for i, end in zip(starts, [*starts[1:], len(lines)]):
            command, _, code = lines[i].removeprefix("$ ").partition("# exit code ")
            yield command.strip(), int(code or 0), lines[i + 1:end]


def without_sources(page):
    """The page's text without blocks of program code."""
    return re.sub(r"(?ms)^```(cpp|python|cmake)$.*?^```$", "", page.read_text())


def without_blocks(page):
    return re.sub(r"(?ms)^```.*?^```$", "", page.read_text())


def shell_code_of(page):
    """Commands, and spans that may name some."""
    return [*(command for command, _, _ in commands(page)), *re.findall(r"`([^`\n]+)`", without_blocks(page))]


COMPARING = (["tare", "compare"], ["tare", "gate"], ["tare", "cmd"])


def words_of(command):
    return shlex.split(command, comments=True)


def quickly(command):
    words = words_of(command)
    measures = words[:2] == ["tare", "run"] or (words[0] == "./my_bench" and "--list" not in words)
    compares = words[:2] in (["tare", "compare"], ["tare", "gate"]) and "last" not in words
    quick = QUICK if measures else QUICK_PAIRS if compares else QUICK_COMMANDS if words[:2] == ["tare", "cmd"] else {}
    return " ".join([command, *(f"{option} {value}" for option, value in quick.items() if option not in words)])


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def squeezed(text):
    return " ".join(text.split())


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Commands(unittest.TestCase):
    def folder_for(self, page):
        folder = tempfile.TemporaryDirectory(prefix="tare docs ")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        shutil.copy(BIN / ("readme_bench" if page == README else "tutorial_bench"), path / "my_bench")
        shutil.copy(ROOT / "tests/docs/worker.py", path)
        for side in ("old", "new"):
            (path / side).mkdir()
            shutil.copy(BIN / ("readme_new_bench" if page == README and side == "new" else "readme_bench" if page == README
                               else "tutorial_bench"), path / side / "my_bench")
        shutil.copy(ROOT / "tests/docs/budgets.toml", path)
        (path / "build/release").mkdir(parents=True)
        (path / "build/release/bin").symlink_to(BIN)
        (path / "suites").symlink_to(ROOT / "suites")
        return path

    @functools.cache
    def told_table(self):
        """A table whose columns do not depend on luck: one whose times are all undefined is not drawn."""
        return subprocess.run([os.environ["TARE_FIXTURE"], "--filter", "^good/(told|allocates)", "--processes", "2",
                               "--samples", "3"], capture_output=True, text=True, check=True).stdout

    def run_all(self, page):
        folder = self.folder_for(page)
        environment = {**os.environ, "PATH": f"{pathlib.Path(TARE).parent}:{os.environ['PATH']}"}
        for command, code, shown in commands(page):
            if command in NOT_RUN or (command.endswith("--pin 0") and 0 not in os.sched_getaffinity(0)):
                continue
            with self.subTest(page=name(page), command=command):
                result = subprocess.run(["bash", "-c", quickly(command)], cwd=folder, env=environment, text=True,
                                        capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
                # Which verdict real times get is luck; that there is one is not.
                verdicts = {0, 1, 3} if words_of(command)[:2] in COMPARING and code in (0, 1, 3) else {code}
                self.assertIn(result.returncode, verdicts, result.stdout + result.stderr)
                for header in (line for line in shown if line.startswith("benchmark ")):
                    # Quantiles are left out without a word when numbers are wide.
                    for word in set(header.split()) - {"p50", "p99"}:
                        self.assertIn(word, result.stdout + self.told_table())

    def test_commands_of_every_page_run(self):
        ran = 0
        for page in PAGES:
            ran += sum(1 for command, _, _ in commands(page) if command not in NOT_RUN)
            self.run_all(page)
        self.assertGreater(ran, 30, "the pages' commands are found")

    def test_no_exception_outlives_its_command(self):
        shown = {command for page in PAGES for command, _, _ in commands(page)}
        self.assertEqual(set(NOT_RUN) - shown, set())


class Code(unittest.TestCase):
    def test_every_cpp_block_is_compiled_somewhere(self):
        compiled = {page: squeezed((ROOT / file).read_text())
                    for page, file in {README: "tests/docs/readme_bench.cpp",
                                       ROOT / "docs/adding-an-engine.md": "engines/ours/forward.cpp"}.items()}
        tutorial = squeezed((ROOT / "tests/docs/tutorial_bench.cpp").read_text())
        found = 0
        for page in PAGES:
            for language, text in blocks(page):
                if language == "cpp":
                    found += 1
                    source = compiled.get(page, tutorial)
                    self.assertIn(squeezed(text), source, f"{name(page)}: this block is not compiled by any target")
        self.assertGreater(found, 10)

    def test_cmake_and_python_blocks_are_files_that_other_tests_run(self):
        sources = {"cmake": ROOT / "tests/install/consumer/CMakeLists.txt", "python": ROOT / "tests/docs/worker.py"}
        seen = set()
        for page in PAGES:
            for language, text in blocks(page):
                if language in sources:
                    seen.add(language)
                    self.assertEqual(text.strip(), sources[language].read_text().strip(), name(page))
        self.assertEqual(seen, set(sources))


class Names(unittest.TestCase):
    def setUp(self):
        listed = help_of(TARE).partition("Subcommands:")[2]
        self.helps = {word: help_of(TARE, word) for word in re.findall(r"(?m)^  ([a-z-]+) ", listed)}
        self.assertIn("run", self.helps)

    def test_every_command_exists(self):
        for page in PAGES:
            for code in shell_code_of(page):
                for word in re.findall(r"(?:^|[\s&|(])tare ([a-z]+(?:-[a-z]+)*)\b(?!:)", code):
                    self.assertIn(word, self.helps, f"{name(page)}: {code}")

    def test_every_command_is_in_the_readme(self):
        shown = README.read_text()
        for word in self.helps:
            self.assertIn(f"`tare {word}", shown)

    def test_every_option_exists(self):
        known = {"--help", "--version"}.union(*map(options_in, self.helps.values()),
                                              options_in(help_of(BIN / "tutorial_bench")), FOREIGN)
        for page in PAGES:
            # A script's own options are its usage's business.
            text = re.sub(r"(tools/|\.ci/)\w+ --[a-z-]+", "", without_sources(page))
            self.assertEqual(options_in(text) - known, set(), name(page))

    def test_every_option_belongs_to_its_command(self):
        for page in PAGES:
            for command, _, _ in commands(page):
                if match := re.match(r"tare ([a-z-]+) ", command):
                    self.assertLessEqual(options_in(command), options_in(self.helps[match[1]]), command)

    def test_every_doubt_is_explained(self):
        body = re.search(r"enum class Doubt \{(.*?)\};", (ROOT / "bench/model/warning.hpp").read_text(), re.DOTALL)[1]
        doubts = re.findall(r"(?m)^\s*(\w+),", body)
        self.assertGreater(len(doubts), 10)
        method = (ROOT / "docs/method.md").read_text()
        for doubt in doubts:
            self.assertRegex(method, rf"(?m)^\| `{doubt}` \| .+ \| .+ \|$")

    def test_every_meter_is_explained(self):
        meters = re.search(r"passes of their own: (.+?), or none", squeezed(self.helps["run"]))[1].split(", ")
        self.assertIn("allocations", meters)
        for meter in meters:
            self.assertIn(f"| `{meter}` |", (ROOT / "docs/method.md").read_text())

    def test_every_package_has_a_reason(self):
        listed = subprocess.run([ROOT / "tools/setup", "--list"], capture_output=True, text=True, check=True).stdout
        self.assertIn("cmake", listed)
        for line in listed.splitlines():
            self.assertEqual(len(line.split()), 3, f"package, group and one word on why: {line}")


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        found = 0
        for page in [*PAGES, *(ROOT.glob("*/README.md"))]:
            for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
                if target.startswith("http"):
                    continue
                found += 1
                path, _, anchor = target.partition("#")
                file = (page.parent / path) if path else page
                self.assertTrue(file.exists(), f"{name(page)}: {target}")
                if anchor:
                    headings = re.findall(r"(?m)^#+ (.+)$", file.read_text())
                    self.assertIn(anchor, map(slug, headings), f"{name(page)}: {target}")
        self.assertGreater(found, 20)

    def test_files_named_in_the_architecture_exist(self):
        text = (ROOT / "docs/architecture.md").read_text()
        paths = re.findall(r"`((?:bench|cli|tests|tools|cmake)/[\w./]+\.\w+)`", text)
        self.assertGreater(len(paths), 15)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_the_include_table_is_the_checked_one(self):
        text = (ROOT / "docs/architecture.md").read_text().partition("| folder | may include |")[2]
        rows = re.findall(r"(?m)^\| ([\w/]+) \| (.+) \|$", text.partition("\n\n")[0])
        shown = {folder: [] if allowed == "–" else allowed.split() for folder, allowed in rows}
        self.assertEqual(shown, check_layers.read_layers(ROOT / "tools/layers.txt"))

    def test_decisions_are_listed_and_have_three_parts(self):
        index = (ROOT / "docs/decisions/README.md").read_text()
        for page in sorted((ROOT / "docs/decisions").glob("0*.md")):
            text = page.read_text()
            self.assertIn(f"[{text.splitlines()[0].removeprefix('# ')}]({page.name})", index)
            self.assertEqual(re.findall(r"(?m)^## (.+)$", text), ["Context", "Decision", "Consequence"], page.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
