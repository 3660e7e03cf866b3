#!/usr/bin/env python3
"""Runs the commands that a page shows, and compares what they print with what it says they print.

    run_page.py --wright BINARY --root REPOSITORY PAGE

A block of code, indented or fenced, with a line `$ COMMAND` shows a command and what it prints, to the
next such line or the end of the block. A line of it that is `…` stands for any number of lines, and a `…`
inside of a line for anything. Times, dates and the folder of the person who reads it may differ.

The commands of a page run one after the other, as one person would type them: in one folder, with one home.
Comments that readers do not see direct that:

    <!-- commands: in FOLDER -->   from here on in a copy of tests/docs/scenes/FOLDER; `clone` is the
                                   repository itself, to be read only. What was stored before is kept.
    <!-- commands: afresh -->      from here on with an empty home
    <!-- commands: run COMMAND --> runs, and is not shown
    <!-- commands: counts drift --> from here on, other numbers may differ as well
    <!-- commands: counts hold -->  and from here on not any more
    <!-- commands: at a terminal --> the next block is a terminal of 80 columns. What stands behind a prompt
                                   (`> `, `→ `, `] > `, or a question of `/undo`) is typed
    <!-- commands: model FILE -->  from here on the model is tests/docs/scenes/FILE, a script, as `demo:model`
    <!-- commands: as a server -->    the next block is a server, which lives to the end of the page
    <!-- commands: not run, REASON --> the next block is only looked at

A page that shows commands and no `in` is refused, so that nothing is left out by mistake.
"""
import argparse
import difflib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scripted_model  # noqa: E402
import terminal  # noqa: E402

# Where a person types; what they type follows it in the block.
PROMPT = re.compile(r"^(> |→ |.*\] > |.*Enter: nothing  )(.*)$")
DIRECTIVE = re.compile(r"<!-- commands: (.*?) -->", re.DOTALL)
SECONDS_A_COMMAND = 300
USUAL_PORT = "7411"


def blocks_of(text):
    """Yields (line number, directive or list of lines) in the order of the page."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!-- commands: "):
            begin = at
            while "-->" not in lines[at]:
                at += 1
            yield begin + 1, DIRECTIVE.match("\n".join(lines[begin : at + 1])).group(1)
            at += 1
        elif line.startswith("```"):
            begin = at + 1
            at = begin
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            yield begin + 1, lines[begin:at]
            at += 1
        elif line.startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            begin = at
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            block = [shown[4:] for shown in lines[begin:at]]
            while not block[-1].strip():
                block.pop()
            yield begin + 1, block
        else:
            at += 1


def commands_of(begin, block):
    """Yields (line number, command, the lines that it prints). A command goes on behind a backslash or an
    open quotation mark."""
    at = 0
    while at < len(block) and not block[at].startswith("$ "):
        at += 1
    while at < len(block):
        number = begin + at
        command = block[at][2:]
        at += 1
        while at < len(block) and (command.endswith("\\") or is_open(command)):
            command = command[:-1] + block[at] if command.endswith("\\") else command + " " + block[at].strip()
            at += 1
        shown = []
        while at < len(block) and not block[at].startswith("$ "):
            shown.append(block[at])
            at += 1
        yield number, command, shown


def is_open(command):
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True).returncode != 0


class Reader:
    """The person who types what the page shows."""

    def __init__(self, wright, root):
        self.root = root
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="wright-page-"))
        self.tools = self.place / "bin"
        self.tools.mkdir()
        (self.tools / "wright").symlink_to(wright)
        self.folder = None
        self.drift = False
        self.last = 0
        self.homes = 0
        self.model = None
        self.servers = []
        self.port = USUAL_PORT
        self.afresh()

    def afresh(self):
        self.homes += 1
        self.home = self.place / f"home{self.homes}"
        self.home.mkdir()
        self.folder = None

    def go_to(self, name):
        if name == "clone":
            self.folder = self.root
            return
        scene = self.root / "tests/docs/scenes" / name
        self.folder = self.home / name
        if not self.folder.exists():
            shutil.copytree(scene, self.folder)

    def listen_to(self, script):
        """Commands from here on have a model that says what the script says."""
        self.model = scripted_model.ScriptedModel(json.loads(script.read_text()))
        config = self.home / ".config/wright/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f'[agent]\nmodel = "demo:model"\n[vendors.demo]\nbase_url = "{self.model.url}"\n'
                          'protocol = "openai-chat"\n')

    def start(self, command, shown):
        """Starts a server, at a port that is free instead of the usual one. The first lines that it prints."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        server = subprocess.Popen(["bash", "-c", f"exec {command} --listen 127.0.0.1:{self.port}"], cwd=self.folder,
                                  env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        self.servers.append(server)
        printed = []
        while len(printed) < len([line for line in shown if line.strip()]):
            line = server.stdout.readline().decode("utf-8", "replace")
            if not line:
                break
            if line.strip():
                printed.append(line.rstrip("\n"))
        return printed

    def environment(self):
        return {
            "HOME": str(self.home),
            "PATH": f"{self.tools}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "USER": "ada",
            "TERM": "xterm",
        }

    def type_at_terminal(self, command, shown):
        """What the terminal shows when a person types what follows the prompts of the block."""
        wanted = [PROMPT.match(line).groups() for line in shown if PROMPT.match(line)]
        environment = self.environment()
        # Who has configured nothing is asked for a model at the first start.
        if not (self.home / ".config/wright/config.toml").exists():
            environment.setdefault("WRIGHT_MODEL", "offline")
        screen = terminal.Terminal(["bash", "-c", command], folder=self.folder, environment=environment)
        for prompt, typed in wanted:
            if not screen.wait_for(lambda seen: seen.cursor_line() == prompt):
                break
            row = screen.screen.row
            screen.type(typed + "\r")
            screen.wait_for(lambda seen: seen.row > row)
        else:
            if screen.wait_for(lambda seen: seen.cursor_line() == "> "):
                screen.type("\x04")
        self.last = screen.close()
        lines = screen.screen.text()
        while lines and lines[-1].strip() in ("", ">"):
            lines.pop()
        return lines

    def type(self, command):
        environment = self.environment()
        shell = f"( exit {self.last} ); {command}".replace(f":{USUAL_PORT}", f":{self.port}")
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS_A_COMMAND,
        )
        self.last = done.returncode
        return done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n") if done.stdout else []

    def plain(self, line):
        """What may differ, taken out."""
        line = line.replace(f":{self.port}", f":{USUAL_PORT}")
        for folder, name in ((self.folder, "~/project"), (self.home, "~"), ("/home/ada", "~")):
            line = line.replace(str(folder), name)
        line = re.sub(r"~/(src/wright|project)\b", "~/project", line)
        line = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", line)
        line = re.sub(r"<?\d+(\.\d+)? (µs|ms|s|min)\b", "<time>", line)
        if self.drift:
            line = re.sub(r"\d+(\.\d+)?k?\b", "<number>", line)
        return re.sub(r"\s+", " ", line).strip()

    def fits(self, shown, printed):
        """Whether what was printed is what is shown, `…` aside. Blank lines do not count."""
        shown = [self.plain(line) for line in shown if line.strip()]
        printed = [self.plain(line) for line in printed if line.strip()]
        pattern = []
        for line in shown:
            if line == "…":
                pattern.append(r"(?:[^\n]*\n)*?")
            else:
                pattern.append("[^\n]*".join(re.escape(part) for part in line.split("…")) + "\n")
        if re.fullmatch("".join(pattern), "".join(line + "\n" for line in printed)):
            return None
        return "\n".join(difflib.unified_diff(shown, printed, "the page", "the command", lineterm="", n=2))

    def leave(self):
        if self.model:
            self.model.close()
        for server in self.servers:
            server.terminate()
            server.wait()
            server.stdout.close()
        shutil.rmtree(self.place, ignore_errors=True)


def run(page, reader):
    problems = []
    count = 0
    skip = False
    screen = background = False
    for number, found in blocks_of(page.read_text()):
        if isinstance(found, str):
            word, _, rest = found.partition(" ")
            if word == "in":
                reader.go_to(rest)
            elif word == "afresh":
                reader.afresh()
            elif word == "run":
                printed = reader.type(rest)
                if reader.last != 0:
                    problems.append(f"{page.name}:{number}: exit code {reader.last}\n" + "\n".join(printed))
            elif word == "counts":
                reader.drift = rest == "drift"
            elif found.startswith("not run, "):
                skip = True
            elif found == "at a terminal":
                screen = True
            elif word == "model":
                reader.listen_to(reader.root / "tests/docs/scenes" / rest)
            elif found == "as a server":
                background = True
            else:
                problems.append(f"{page.name}:{number}: unknown direction '{found}'")
            continue
        commands = list(commands_of(number, found))
        if not commands:
            continue
        if skip:
            skip = False
            continue
        if reader.folder is None:
            problems.append(f"{page.name}:{number}: shows a command, and does not say in which folder it runs")
            continue
        for line, command, shown in commands:
            count += 1
            if background:
                printed = reader.start(command, shown)
            else:
                printed = reader.type_at_terminal(command, shown) if screen else reader.type(command)
            difference = reader.fits(shown, printed)
            if difference is not None:
                problems.append(f"{page.name}:{line}: $ {command}\n{difference}")
        screen = background = False
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wright", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("page", type=pathlib.Path)
    given = parser.parse_args()
    reader = Reader(given.wright.resolve(), given.root.resolve())
    try:
        count, problems = run(given.page, reader)
    finally:
        reader.leave()
    for problem in problems:
        print(problem, end="\n\n")
    print(f"{given.page.name}: {count} commands, {len(problems)} otherwise than shown")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
