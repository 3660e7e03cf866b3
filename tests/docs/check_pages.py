#!/usr/bin/env python3
"""Checks that every block of code in README.md, CONTRIBUTING.md and docs/ is covered by a test, or says why not.

    check_pages.py --root REPOSITORY [--write] [--wright BINARY]

| block | how it is covered |
|---|---|
| C++ behind `<!-- examples/NAME.cpp -->` | it is that program, whole, which the build compiles and runs |
| C++ behind `<!-- snippet NAME -->` | it stands in tests/docs/snippets.cpp, between `// [NAME]` and `// [end]` |
| any behind `<!-- as in FILE -->` | its lines stand in that file, in this order |
| with lines `$ COMMAND` | run_page.py runs them |
| TOML | `wright config` reads it, or `wright agents` behind `<!-- an agent's file -->` |
| JSON, Python | it can be parsed |
| commands without output | `wright` has the command, and its help every flag |
| any behind `<!-- not checked: REASON -->` | it is listed |

--write copies programs and snippets into the pages. Without --wright, TOML and commands are only parsed.
"""
import argparse
import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import tomllib

MARK = re.compile(r"<!-- (examples/\w+\.cpp|snippet [\w.]+|as in \S+|not checked: .*?|an agent's file"
                  r"|commands: not run, .*?) -->$")
# What a line of commands may begin with, apart from `wright`.
PROGRAMS = {"make", "cmake", "c++", "export", "curl", "sqlite3", "createdb", "claude", "git", "cd", "cp", "python3"}


class Block:
    def __init__(self, page, first, language, lines, mark):
        self.page, self.first, self.language, self.lines, self.mark = page, first, language, lines, mark

    @property
    def where(self):
        return f"{self.page.name}:{self.first}"

    @property
    def text(self):
        return "\n".join(self.lines)


def blocks_of(page):
    lines = page.read_text().split("\n")
    at, mark = 0, None
    while at < len(lines):
        line = lines[at]
        found = MARK.match(line)
        fence = re.match(r"^( *)```(\w*)", line)
        if found:
            mark = found.group(1)
        elif fence:
            begin = at + 1
            at = begin
            while not lines[at].startswith(fence.group(1) + "```"):
                at += 1
            yield Block(page, begin + 1, fence.group(2), lines[begin:at], mark)
            mark = None
        elif line.startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            begin = at
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            shown = [text[4:] for text in lines[begin:at]]
            while not shown[-1].strip():
                shown.pop()
            yield Block(page, begin + 1, None, shown, mark)
            mark = None
            continue
        elif line.strip() and not line.startswith("<!--"):
            mark = None
        at += 1


def snippets_of(path):
    """By name; parts of one name follow each other."""
    found = {}
    for name, text in re.findall(r"^ *// \[([\w.]+)\]\n(.*?)^ *// \[end\]", path.read_text(),
                                 flags=re.DOTALL | re.MULTILINE):
        found[name] = found.get(name, "") + textwrap.dedent(text)
    return {name: text.rstrip("\n") for name, text in found.items()}


def stands_in(lines, path):
    """The first line that is not there, in order; nothing where all are."""
    rest = re.sub(r"\s+", " ", path.read_text())
    for line in lines:
        wanted = re.sub(r"\s+", " ", line).strip()
        at = rest.find(wanted)
        if at < 0:
            return wanted
        rest = rest[at + len(wanted):]
    return None


class Wright:
    """What the program knows. Asked once for each command."""

    def __init__(self, binary):
        self.binary = binary
        self.helps = {}

    def run(self, *arguments, home):
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, cwd=home,
                              stdin=subprocess.DEVNULL,
                              env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        return done.returncode, done.stdout + done.stderr

    def help_of(self, words):
        if words not in self.helps:
            with tempfile.TemporaryDirectory() as home:
                self.helps[words] = self.run(*words, "--help", home=home)
        return self.helps[words]

    def problem_of_command(self, line):
        try:
            words = shlex.split(line.replace("…", "X"), comments=True)
        except ValueError as error:
            return str(error)
        words = words[1:]
        while words and words[0].startswith("--"):
            words = words[2:]
        command = []
        for word in words:
            if not re.fullmatch(r"[a-z]+", word) or len(command) == 2:
                break
            command.append(word)
        status, text = self.help_of(tuple(command[:1]))
        if status != 0:
            return f"wright has no command {' '.join(command[:1])}"
        if len(command) == 2 and re.search(rf"^ +(wright {command[0]} )?{command[1]}\b", text, flags=re.MULTILINE):
            status, more = self.help_of(tuple(command))
            text += more if status == 0 else ""
        end = words.index("--") if "--" in words else len(words)
        for word in words[:end]:
            flag = word.partition("=")[0]
            if re.fullmatch(r"--[a-z][a-z-]*", flag) and not re.search(rf"{flag}\b", text):
                return f"`wright {' '.join(command)}` has no {flag}"
        return None

    def problem_of_config(self, text):
        with tempfile.TemporaryDirectory() as home:
            path = pathlib.Path(home) / "page.toml"
            path.write_text(text)
            status, said = self.run("config", "--config", str(path), home=home)
            return None if status == 0 else said.strip()

    def problem_of_agent(self, text):
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home) / ".config/wright/agents"
            folder.mkdir(parents=True)
            (folder / "page.toml").write_text(text)
            _, said = self.run("agents", home=home)
            return said.strip() if "page.toml:" in said else None


def commands_in(block):
    """Lines of commands, those behind a backslash together; nothing where some line is something else."""
    lines = re.sub(r"\\\n\s*", "", block.text).split("\n")
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if all(line.split()[0] in PROGRAMS | {"wright"} or line.startswith("build/") for line in lines):
        return lines
    return None


def problem_of(block, root, snippets, wright):
    mark = block.mark or ""
    if mark.startswith(("not checked: ", "commands: not run, ")):
        return None
    if mark.startswith("as in "):
        missing = stands_in(block.lines, root / mark.removeprefix("as in "))
        return f"`{missing}` does not stand in {mark.removeprefix('as in ')}" if missing else None
    if block.language == "cpp":
        if mark.startswith("examples/"):
            wanted = (root / mark).read_text().rstrip("\n") if (root / mark).exists() else None
        else:
            wanted = snippets.get(mark.removeprefix("snippet "))
        if wanted is None:
            return "C++ that no test compiles: quote a program of examples/, or a snippet of tests/docs/snippets.cpp"
        return None if block.text == wanted else f"shows {mark} otherwise than it is; `check_pages.py --write` mends it"
    if any(line.startswith("$ ") for line in block.lines):
        return None
    if block.language == "toml" or (block.language is None and re.match(r"\[[\w.\"]+", block.lines[0])):
        try:
            tomllib.loads(block.text)
        except tomllib.TOMLDecodeError as error:
            return str(error)
        if wright is None:
            return None
        return wright.problem_of_agent(block.text) if mark == "an agent's file" else wright.problem_of_config(block.text)
    if block.language == "json" or (block.language is None and block.lines[0].startswith("{")):
        try:
            json.loads(block.text)
        except json.JSONDecodeError as error:
            return str(error)
        return None
    if block.language == "python":
        try:
            ast.parse(block.text)
        except SyntaxError as error:
            return str(error)
        return None
    commands = commands_in(block)
    if commands is None:
        return "covered by nothing; check_pages.py says what there is"
    for line in commands if wright else []:
        if line.split()[0] == "wright" and (problem := wright.problem_of_command(line)):
            return problem
    return None


def write(page, root, snippets):
    """Puts programs and snippets into the page as they are now."""
    def quoted(match):
        mark = match.group(1)
        text = (root / mark).read_text().rstrip("\n") if mark.startswith("examples/") \
            else snippets[mark.removeprefix("snippet ")]
        return f"<!-- {mark} -->\n```cpp\n{text}\n```\n"
    text = page.read_text()
    new = re.sub(r"<!-- (examples/\w+\.cpp|snippet [\w.]+) -->\n```cpp\n.*?\n?```\n", quoted, text, flags=re.DOTALL)
    if new != text:
        page.write_text(new)


def pages_of(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


def check(root, pages, wright=None):
    snippets = snippets_of(root / "tests/docs/snippets.cpp")
    problems, exceptions, used = [], [], set()
    count = 0
    for page in pages:
        for block in blocks_of(page):
            count += 1
            problem = problem_of(block, root, snippets, wright)
            if problem:
                problems.append(f"{block.where}: {problem}")
            for start in ("not checked: ", "commands: not run, "):
                if (block.mark or "").startswith(start):
                    exceptions.append(f"{block.where}: {block.mark.removeprefix(start)}")
            if (block.mark or "").startswith("snippet "):
                used.add(block.mark.removeprefix("snippet "))
    return count, problems, exceptions, sorted(snippets.keys() - used)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--wright", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    root = given.root.resolve()
    if given.write:
        for page in pages_of(root):
            write(page, root, snippets_of(root / "tests/docs/snippets.cpp"))
    count, problems, exceptions, unused = check(root, pages_of(root), Wright(given.wright) if given.wright else None)
    problems += [f"tests/docs/snippets.cpp: no page shows [{name}]" for name in unused]
    for problem in problems:
        print(problem)
    print(f"{count} blocks, {len(exceptions)} not checked, and why:")
    for exception in exceptions:
        print(f"  {exception}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
