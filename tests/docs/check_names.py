#!/usr/bin/env python3
"""Checks that what the documents name is there: in the public headers, in the tree, in the program.

    check_names.py --root REPOSITORY

| named in `code` | must be |
|---|---|
| `wright::x`, `Type::member`, `function()` | a name of the public headers; on pages about the inside also one of src/ |
| `src/…`, `tests/…`, `examples/…`, `wright/x.h` | a file or folder |
| `name` (`src/file`) | a name in that file or folder |
| the list of folders in design.md | every folder of src/, and no other |
| the table in library.md | every public header |
"""
import argparse
import functools
import pathlib
import re
import sys

# About the inside of Wright.
INSIDE = {"design.md", "trace.md", "CONTRIBUTING.md", "README.md"}
# Pages with names of other frameworks: only what says `wright::` is ours for certain.
ELSEWHERE = {"comparison.md"}
# Names of others, and of other languages, that look like ours.
OTHERS = {"std", "boost", "wait", "find_package", "load_extension", "instr", "json_patch"}
PATH = re.compile(r"^(?:src|include|tests|examples|cmake|bench|fuzz|packaging|docs)/[\w./-]*\w/?$")


def words_of(paths):
    words = set()
    for path in paths:
        words |= set(re.findall(r"[A-Za-z_]\w*", path.read_text(errors="replace")))
    return words


def members_of(headers):
    """By type: every word between its braces."""
    found = {}
    for path in headers:
        text = path.read_text()
        for match in re.finditer(r"\b(?:struct|class|enum class|namespace)\s+(\w+)[^;{]*\{", text):
            depth, at = 1, match.end()
            while depth and at < len(text):
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
            found.setdefault(match.group(1), set()).update(re.findall(r"\w+", text[match.end():at]))
    return found


def spans_of(text):
    """(line, what stands in `code`) outside of blocks."""
    text = re.sub(r"^```.*?^```", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.DOTALL)
    lines = ["" if line.startswith("    ") else line for line in text.split("\n")]
    text = "\n".join(lines)
    for match in re.finditer(r"`([^`]+)`", text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1).replace("\n", " "), text[match.end():match.end() + 80]


class Names:
    def __init__(self, root):
        self.root = root
        headers = sorted((root / "include").rglob("*.h"))
        self.public = words_of(headers)
        self.members = members_of(headers)
        inside = [*headers, *(root / "src").rglob("*.h"), *(root / "src").rglob("*.cpp"),
                  *(root / "tests").rglob("*.h"), *(root / "tests").rglob("*.cpp"), *(root / "cmake").glob("*")]
        self.inside = words_of(inside)

    def problem_of(self, span, behind, page):
        if re.match(r"^(?:wright/\w+\.h)$", span):
            return None if (self.root / "include" / span).exists() else "there is no such header"
        if PATH.match(span) and not re.search(r"/x\b|/x_", span):  # x stands for any name
            path = span.split("#")[0]
            if (self.root / path).exists() or (self.root / "include" / path).exists():
                return None
            return "there is no such file"
        where = re.match(r"^,?\s*\(\s*`(src/[\w./]+)`", behind)
        if where and re.fullmatch(r"[\w:]+(?:\(.*\))?", span) and (self.root / where.group(1)).exists():
            name = re.sub(r"\(.*", "", span).split("::")[-1]
            path = self.root / where.group(1)
            files = [path] if path.is_file() else [*path.rglob("*.h"), *path.rglob("*.cpp")]
            if path.suffix == ".cpp" and path.with_suffix(".h").exists():
                files.append(path.with_suffix(".h"))
            return None if name in words_of(files) else f"{where.group(1)} has no {name}"
        if page in ELSEWHERE or page.startswith("migrating_") and not span.startswith("wright::"):
            if not span.startswith("wright::"):
                return None
        name = re.fullmatch(r"((?:\w+::)+)?([A-Za-z_]\w*)(?:<[\w:]*>)?(\(.*\))?", span)
        if not name or not (name.group(1) or name.group(3)) or span.split("::")[0] in OTHERS:
            return None
        if name.group(3) and name.group(2) in OTHERS:
            return None
        known = self.public | self.inside if page in INSIDE else self.public
        scope = [part for part in (name.group(1) or "").split("::") if part and part != "wright"]
        if name.group(2) not in known:
            return "no public header has this name"
        if scope and scope[-1] in self.members and name.group(2) not in self.members[scope[-1]] and page not in INSIDE:
            return f"{scope[-1]} has no {name.group(2)}"
        if scope and scope[-1] not in known:
            return f"no public header has {scope[-1]}"
        return None


@functools.cache
def names_of(root):
    return Names(root)


def check(root, pages):
    names = names_of(root)
    problems = []
    for page in pages:
        for line, span, behind in spans_of(page.read_text()):
            problem = names.problem_of(span, behind, page.name)
            if problem:
                problems.append(f"{page.name}:{line}: `{span}`: {problem}")
    return problems


def folders(root):
    house = (root / "docs/design.md").read_text()
    listed = set(re.findall(r"^src/(\w+)/", house, flags=re.MULTILINE))
    there = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    return [f"design.md lists src/{name}/, which is not there" for name in sorted(listed - there)] + \
        [f"design.md does not list src/{name}/" for name in sorted(there - listed)]


def header_table(root):
    text = (root / "docs/library.md").read_text()
    return [f"library.md does not list wright/{path.name}" for path in sorted((root / "include/wright").glob("*.h"))
            if f"`wright/{path.name}`" not in text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    root = parser.parse_args().root.resolve()
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    problems = check(root, pages) + folders(root) + header_table(root)
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} names that are not there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
