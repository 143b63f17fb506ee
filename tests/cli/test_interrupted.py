"""Ctrl-C, a kill, and a terminal: what is finished is kept, no worker is left behind."""
import json
import os
import pty
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from harness import FIXTURE, QUICK, TARE, CliTest, main


def workers_of(binary):
    """Processes that still run the binary."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == os.path.realpath(binary):
                found.append(int(entry))
        except OSError:
            pass
    return found


class Interrupted(CliTest):
    def copy_of_fixture(self):
        """A binary of its own, so that its workers are told from those of other tests."""
        return shutil.copy(FIXTURE, self.folder / "bench")

    def start(self, binary, *arguments):
        return subprocess.Popen([TARE, "run", str(binary), *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def wait_until(self, condition, what):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        self.fail(f"never: {what}")

    def stored(self):
        path = self.folder / ".tare/results.db"
        if not path.exists():
            return 0
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            try:
                return database.execute("SELECT COUNT(*) FROM measurement").fetchone()[0]
            except sqlite3.OperationalError:
                return 0

    def test_ctrl_c_keeps_what_is_finished(self):
        binary = self.copy_of_fixture()
        process = self.start(binary, "--filter", "good/told|slow/second", *QUICK[:4])
        self.wait_until(lambda: self.stored() == 2, "two results stored")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn("2 of 3 benchmarks finished and kept as run 1", errors)
        self.assertIn("1.00 ms", output, "and shown")
        self.assertEqual(workers_of(binary), [])

    def test_a_killed_tare_takes_its_workers_along(self):
        binary = self.copy_of_fixture()
        process = self.start(binary, "--filter", "slow/second")
        self.wait_until(lambda: workers_of(binary), "a worker")
        process.kill()
        process.communicate()
        self.wait_until(lambda: not workers_of(binary), "no worker left")

    def test_sigkill_at_any_instant_never_loses_a_finished_benchmark(self):
        # Instants are drawn over the whole of a run, whatever it takes here: the property must hold at each.
        begun = time.monotonic()
        self.assertEqual(self.run_fixture("good/told").returncode, 0)
        whole = min(time.monotonic() - begun, 1.0)
        randomness = random.Random(1)
        for _ in range(20 if os.environ.get("TARE_SANITIZED") else 200):
            process = self.start(FIXTURE, "--filter", "good/told", *QUICK)
            time.sleep(randomness.uniform(0, whole))
            before = self.stored()
            process.kill()
            process.communicate()
            self.assertGreaterEqual(self.stored(), before)
        path = self.folder / ".tare/results.db"
        with sqlite3.connect(path) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertEqual(self.run_fixture("good/told").returncode, 0)

    def test_two_runs_at_once_both_succeed(self):
        both = [self.start(FIXTURE, "--filter", "good/told", *QUICK) for _ in range(2)]
        for process in both:
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
        runs = json.loads(self.tare("runs", "--json").stdout)
        self.assertEqual([r["benchmarks"] for r in runs], [2, 2])


class Terminal(CliTest):
    def test_progress_and_colour_on_a_terminal_only(self):
        main_end, terminal = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        process = subprocess.Popen([TARE, "run", FIXTURE, "--filter", "good/told", *QUICK], cwd=self.folder,
                                   stdout=terminal, stderr=terminal, env={**environment, "TERM": "xterm"})
        os.close(terminal)
        seen = b""
        while True:
            try:
                chunk = os.read(main_end, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        process.wait(timeout=60)
        os.close(main_end)
        text = seen.decode(errors="replace")
        self.assertIn("[1/2]", text)
        self.assertIn("[2/2]", text)
        self.assertIn("\x1b[", text)


if __name__ == "__main__":
    main()
