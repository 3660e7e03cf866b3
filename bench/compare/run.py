#!/usr/bin/env python3
"""The same agent loop in Wright and in frameworks from npm, beside each other, against bench/fake_llm.

  run.py --binaries build/bench/bench --folder build/bench/compare [--rounds 5] [--sessions 60] [--warm 140] [--only NAME;…]

Copies the programs of this folder into --folder, installs what package.json names there, and prints one table. The runs
take turns, so that whatever else the machine does falls on all alike; the table shows medians. Every run is checked: the
server must have seen each conversation make its tool turns and get its answer, and no error.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
TURNS = 10     # tool turns of a conversation; then comes the answer
AT_ONCE = 16
MANY = 1000    # conversations that wait at once, where memory is measured
PACKAGES = {"OpenAI client": ["openai"], "Vercel AI SDK": ["ai", "@ai-sdk/openai-compatible"],
            "OpenAI Agents": ["@openai/agents"],
            "LangGraph": ["@langchain/langgraph", "@langchain/core", "@langchain/openai",
                          "@langchain/langgraph-checkpoint-sqlite", "better-sqlite3"],
            "LangChain": ["langchain"], "for all": ["zod"]}


class Server:
    """fake_llm, and what it counted."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "--port", "0"], stdout=subprocess.PIPE, text=True)
        self.address = "http://" + self.process.stdout.readline().split()[-1]
        self.base = self.address + "/v1"

    def counted(self):
        with urllib.request.urlopen(self.address + "/stats", timeout=60) as answer:
            return json.load(answer)

    def reset(self):
        urllib.request.urlopen(self.address + "/reset", timeout=60).read()

    def check(self, conversations, turns):
        seen = self.counted()
        expected = {"final_answers": conversations, "tool_answers": conversations * turns, "errors": 0}
        for name, count in expected.items():
            if seen[name] != count:
                raise SystemExit(f"the server counted {seen[name]} {name}, not {count}")


class Contender:
    """A program with loop_driver's command line."""

    def __init__(self, name, words, stored, sessions):
        self.name, self.words, self.stored, self.sessions = name, words, stored, sessions
        self.label = name + (", SQLite" if stored else "")
        self.native = len(words) == 1

    def command(self, base, model, database, *options):
        for suffix in ("", "-wal", "-shm"):
            pathlib.Path(str(database) + suffix).unlink(missing_ok=True)
        return [*self.words, "--base", base, "--model", model, "--persist", "sqlite" if self.stored else "none", "--db",
                str(database), *(str(option) for option in options)]


def environment():
    """Without keys and switches of whoever runs this: a variable can turn tracing on."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def started(words, **how):
    return subprocess.Popen(words, env=environment(), **how)


def status(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise SystemExit(f"the process {pid} has no {field}")


def turns_of(server, contender, warm, folder):
    """CPU of a turn in µs, peak memory in MiB, bytes that a conversation takes on disk."""
    server.reset()
    database = folder / "loop.db"
    words = contender.command(server.base, f"fake-k{TURNS}", database, "--n", contender.sessions, "--c", AT_ONCE, "--warm",
                              warm)
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env=environment())
    if done.returncode != 0:
        raise SystemExit(f"{contender.name} failed: {done.stderr}")
    line = json.loads(done.stdout)
    if line["turns"] != contender.sessions * TURNS:
        raise SystemExit(f"{contender.name} called its tool {line['turns']} times")
    server.check(contender.sessions + warm, TURNS)
    disk = sum(path.stat().st_size for path in folder.glob("loop.db*")) / (contender.sessions + warm)
    return {"CPU µs a turn": (line["user_ms"] + line["sys_ms"]) * 1e3 / line["turns"], "MiB, 16": line["rss"] / 1024,
            "KiB on disk": disk / 1024}


def first_request_of(contender, folder):
    """Time and CPU, in ms, from the start of the process until a request of its is there."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(120)
    base = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    words = contender.command(base, f"fake-k{TURNS}", folder / "first.db", "--n", 1, "--c", 1)
    began = time.monotonic()
    process = started(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        connection, _ = listener.accept()
        connection.settimeout(120)
        if not connection.recv(65536).startswith(b"POST /v1/chat/completions"):
            raise SystemExit(f"{contender.name} sent something else first")
        took = time.monotonic() - began
        # The clock of another process: all of its threads, also those that have ended (see clock_getcpuclockid).
        cpu = time.clock_gettime((~process.pid << 3) | 2)
        connection.close()
    finally:
        process.kill()
        process.wait()
        listener.close()
    return {"first, ms": took * 1e3, "first, CPU ms": cpu * 1e3}


def crowd_of(server, contender, folder):
    """Peak memory in MiB, once MANY conversations have made all tool turns and wait for their last answer."""
    model = f"fake-k{TURNS}-l600000-f{TURNS}"
    database = folder / "crowd.db"
    if contender.native:  # loop_driver would start a thread for each; this way it does not
        words = contender.command(server.base, model, database, "--warm", 1, "--idle", MANY)
    else:
        words = contender.command(server.base, model, database, "--n", MANY, "--c", MANY)
    server.reset()
    process = started(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if contender.native:
            process.stdout.readline()
            server.reset()
            process.stdin.write("\n")
            process.stdin.flush()
        until = time.monotonic() + 1800
        while server.counted()["final_answers"] < MANY:
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{contender.name} does not hold {MANY} conversations")
            time.sleep(0.5)
        server.check(MANY, TURNS)
        if server.counted()["inflight"] != MANY:
            raise SystemExit(f"{contender.name} does not wait in {MANY} conversations")
        return {"MiB, 1,000": status(process.pid, "VmHWM") / 1024}
    finally:
        process.kill()
        process.wait()
        while server.counted()["inflight"] > 0:
            time.sleep(0.1)


def installed(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lock, node = folder / "package-lock.json", folder / "node_modules/.bin/node"
    is_current = node.exists() and lock.exists() and lock.read_bytes() == (HERE / lock.name).read_bytes()
    if not is_current:
        node.unlink(missing_ok=True)  # so that an install that breaks off is not taken for one that did not
    for path in HERE.iterdir():
        if path.suffix in (".mjs", ".json") or path.name == ".npmrc":
            shutil.copy(path, folder)
    if not is_current:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder,
                       check=True, timeout=1800)
    return node


def print_versions(folder, node):
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"Node {version}, {platform.machine()}, {os.cpu_count()} cores")
    for name, packages in PACKAGES.items():
        found = (json.loads((folder / "node_modules" / package / "package.json").read_text()) for package in packages)
        print(f"{name}: " + ", ".join(f"{package['name']} {package['version']}" for package in found))
    print()


def print_table(results):
    columns = ["CPU µs a turn", "MiB, 16", "MiB, 1,000", "first, ms", "first, CPU ms", "KiB on disk"]
    print("| | stored | " + " | ".join(columns) + " |\n|---|---|" + "---:|" * len(columns))
    for contender, figures in results.items():
        cells = []
        for column in columns:
            values = figures.get(column)
            shown = values and (column != "KiB on disk" or contender.stored)
            cells.append(f"{statistics.median(values):,.1f}" if shown else "")
        print(f"| {contender.name} | {'SQLite' if contender.stored else 'no'} | " + " | ".join(cells) + " |")
    print("\nCPU µs a turn, least and most of the rounds:")
    for contender, figures in results.items():
        values = figures["CPU µs a turn"]
        print(f"  {contender.label}: {min(values):,.1f} to {max(values):,.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--crowds", type=int, default=1, help="rounds of the memory of many conversations, which take long")
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--warm", type=int, default=140)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * MANY:
        raise SystemExit(f"{MANY} connections need more open files than {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    folder = given.folder.resolve()
    node = installed(folder)

    def script(name):
        return [str(node), str(folder / name)]

    driver = [str(given.binaries.resolve() / "loop_driver")]
    # A turn of ours is short: more of them, so that it can be measured.
    contenders = [Contender("Wright", driver, False, 10 * given.sessions),
                  Contender("bare loop, openai", script("openai_loop.mjs"), False, given.sessions),
                  Contender("Vercel AI SDK", script("vercel_ai_sdk.mjs"), False, given.sessions),
                  Contender("OpenAI Agents", script("openai_agents.mjs"), False, given.sessions),
                  Contender("LangGraph", script("langgraph.mjs"), False, given.sessions),
                  Contender("LangChain's agent", script("langchain_agent.mjs"), False, given.sessions),
                  Contender("Wright", driver, True, 10 * given.sessions),
                  Contender("LangGraph", script("langgraph.mjs"), True, given.sessions),
                  Contender("LangChain's agent", script("langchain_agent.mjs"), True, given.sessions)]
    if given.only:
        contenders = [one for one in contenders if one.name in given.only.split(";")]
    print_versions(folder, node)
    results = {contender: {} for contender in contenders}

    def keep(contender, figures):
        print(f"{contender.label}: " + ", ".join(f"{name} {value:,.1f}" for name, value in figures.items()), file=sys.stderr)
        for name, value in figures.items():
            results[contender].setdefault(name, []).append(value)

    server = Server(given.binaries / "fake_llm")
    try:
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            for number in range(given.rounds):
                print(f"round {number + 1} of {given.rounds}", file=sys.stderr)
                for contender in contenders if number % 2 == 0 else contenders[::-1]:
                    keep(contender, turns_of(server, contender, given.warm, work))
                    keep(contender, first_request_of(contender, work))
                    if number < given.crowds:
                        keep(contender, crowd_of(server, contender, work))
    finally:
        server.process.kill()
        server.process.wait()
    print_table(results)


if __name__ == "__main__":
    main()
