#!/usr/bin/env python3
"""Several builds of loop_driver beside each other: CPU, allocations and system calls of a tool turn.

  compare_loops.py --server build/bench/bench/fake_llm [--rounds 5] [--turns 10,50,200] OLD NEW …

The runs take turns, so that whatever else the machine does falls on all builds alike; the table shows medians. System
calls, context switches and futex calls are counted in runs of their own, by perf, where it may.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile

COUNTED = {"system calls": "raw_syscalls:sys_enter", "futex": "syscalls:sys_enter_futex",
           "switches": "context-switches"}


def command(driver, base, turns, persist, folder, sessions):
    database = os.path.join(folder, "loop.db")
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(database + suffix):
            os.remove(database + suffix)
    return [driver, "--base", base, "--model", f"fake-k{turns}", "--n", str(sessions), "--c", "16", "--warm", "32",
            "--persist", persist, "--db", database]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]} failed: {done.stderr}")
    return done


def measured(*arguments):
    line = json.loads(run(command(*arguments)).stdout)
    turns = line["turns"]
    return ((line["user_ms"] + line["sys_ms"]) * 1e3 / turns, line["wall_s"] * 1e6 / turns, line["allocations"] / turns)


def counted(*arguments):
    if shutil.which("perf") is None:
        return {}
    words = ["perf", "stat", "-x,", "-e", ",".join(COUNTED.values())] + command(*arguments)
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return {}
    sessions, turns = arguments[5], arguments[2]
    counts = {}
    for line in done.stderr.splitlines():
        fields = line.split(",")
        for name, event in COUNTED.items():
            if event in fields and fields[0].isdigit():
                counts[name] = int(fields[0]) / ((sessions + 32) * turns)
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", default="10,50,200")
    parser.add_argument("drivers", nargs="+")
    given = parser.parse_args()
    server = subprocess.Popen([given.server, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        base = "http://" + server.stdout.readline().split()[-1] + "/v1"
        print(f"{'turns':>5} {'stored':7} {'build':24} {'CPU µs':>8} {'wall µs':>8} {'allocations':>11}"
              + "".join(f" {name:>12}" for name in COUNTED))
        with tempfile.TemporaryDirectory() as folder:
            for turns in (int(text) for text in given.turns.split(",")):
                sessions = max(6000 // turns, 32)
                for persist in ("none", "sqlite"):
                    rounds = {driver: [] for driver in given.drivers}
                    for number in range(given.rounds):
                        order = given.drivers if number % 2 == 0 else given.drivers[::-1]
                        for driver in order:
                            rounds[driver].append(measured(driver, base, turns, persist, folder, sessions))
                    for driver, results in rounds.items():
                        cpu, wall, allocations = (statistics.median(column) for column in zip(*results))
                        counts = counted(driver, base, turns, persist, folder, sessions)
                        print(f"{turns:5} {persist:7} {driver[-24:]:24} {cpu:8.1f} {wall:8.1f} {allocations:11.1f}"
                              + "".join(f" {counts[name]:12.2f}" if name in counts else f" {'-':>12}"
                                        for name in COUNTED), flush=True)
    finally:
        server.kill()


if __name__ == "__main__":
    main()
