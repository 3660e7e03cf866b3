#!/usr/bin/env python3
"""Makes the API reference: one page for each public header, from its comments and declarations.

    reference.py --root REPOSITORY --out FOLDER

A header opens with a comment that says what it is for; without one the reference cannot be made. Inside of
the namespace, lines that stand together are one entry: a comment and what it declares. A comment that stands
alone introduces what follows. What is in `detail`, and what is private, is left out.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

DECLARES = [
    re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|concept)\s+([A-Za-z_]\w*)"),
    re.compile(r"^enum\s+(?:class\s+)?([A-Za-z_]\w*)"),
    re.compile(r"^using\s+([A-Za-z_]\w*)\s*="),
    re.compile(r"^#define\s+([A-Z_]\w*)"),
    re.compile(r"^(?:inline\s+)?constexpr\s+[^=({]*?([A-Za-z_]\w*)\s*[={]"),
    re.compile(r"^[\w:<>,&*\[\]\s.]*?\b(operator[^\s(]+|[A-Za-z_]\w*)\s*\("),
    re.compile(r"^inline\s+(?:const\s+)?[\w:<>]+\s+([A-Za-z_]\w*)\b"),
]
# What is a name wherever it stands in a comment.
NAME = re.compile(r"((?:\w+::)+\w+(?:<[^>]*>)?(?:\(\))?|\b\w+\(\)|\bResult<\w+>|\b\w+<\w+>)")
NO_NAMES = {"requires", "noexcept", "decltype", "static_assert", "return", "explicit", "sizeof"}


class Unfit(Exception):
    """A header from which no page can be made."""


@dataclasses.dataclass
class Entry:
    comment: str
    code: list
    names: list


@dataclasses.dataclass
class Header:
    name: str  # "agent.h"
    about: str
    entries: list

    @property
    def page(self):
        return self.name.removesuffix(".h") + ".md"

    @property
    def names(self):
        return [name for entry in self.entries for name in entry.names]


def comment_text(lines):
    """What comment lines say, as Markdown: indented lines are code, names in code font stay words."""
    out, code = [], False
    for line in lines:
        text = re.sub(r"^//\s?", "", line)
        is_code = text.startswith("  ") and text.strip() != ""
        if is_code and not code:
            out.append("")
        if is_code:
            out.append("    " + text[2:])
        else:
            if code and text:
                out.append("")
            out.append(NAME.sub(r"`\1`", text) if "`" not in text else text)
        code = is_code
    return "\n".join(out).strip("\n")


def without_private(lines):
    """The lines of a class without its private part."""
    out, hidden, depth = [], False, None
    for line in lines:
        if re.match(r"^\s*private:", line):
            hidden = True
            depth = len(line) - len(line.lstrip())
        elif hidden and (re.match(r"^\s*public:", line) or (line.startswith("}") and depth is not None)):
            hidden = False
        if not hidden:
            out.append(line)
    while any(a == "" and b.startswith("}") for a, b in zip(out, out[1:])):
        out = [line for at, line in enumerate(out)
               if not (line == "" and at + 1 < len(out) and out[at + 1].startswith("}"))]
    return out


def names_in(code):
    names, depth, statement = [], 0, ""
    for line in code:
        bare = re.sub(r"//.*$", "", line)
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', bare).rstrip()
        if depth == 0 and bare.strip():
            statement = (statement + " " + bare.strip()).strip()
        depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")
        ended = bare.endswith((";", "}", "{")) or statement.startswith("#define")
        if re.match(r"WRIGHT_(DESCRIBE|ENUM)\b", statement):
            statement = "" if depth == 0 else statement
            continue
        if statement and (ended or depth > 0):
            text = re.sub(r"^template\s*<[^{;(]*?>\s+(?=\w)", "", statement)
            text = re.sub(r"^(?:requires\s*\(.*?\)\s*)", "", text)
            for pattern in DECLARES:
                found = pattern.match(text)
                if found and found.group(1) not in NO_NAMES:
                    if found.group(1) not in names:
                        names.append(found.group(1))
                    break
            if ended or depth > 0:
                statement = "" if depth == 0 and ended else statement
                if depth > 0:
                    statement = "" if ended or found else statement
    return names


def chunks_of(lines):
    """Runs of lines between blank lines outside of braces."""
    chunk, depth = [], 0
    for line in lines:
        if not line.strip() and depth == 0:
            if chunk:
                yield chunk
            chunk = []
            continue
        chunk.append(line)
        bare = re.sub(r"//.*$", "", line)
        bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'[{}()]\'', '""', bare)
        depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")
    if chunk:
        yield chunk


def body_of(lines):
    """What stands in the public namespaces, and macros; without includes and `detail`."""
    out, skipped = [], 0
    at = 0
    while at < len(lines):
        line = lines[at]
        if skipped or re.match(r"^namespace detail\b", line):
            skipped += line.count("{") - line.count("}")
            if skipped < 0:
                skipped = 0
            at += 1
            continue
        if re.match(r"^(#include|#pragma|#if|#endif|#else|#undef|namespace [\w:]+ \{|\}  // namespace)", line) or \
                line.startswith("// First: what follows"):
            out.append("")
        elif line.startswith("#define"):
            macro = [line.rstrip("\\").rstrip()]
            while lines[at].endswith("\\"):
                at += 1
            out.append(macro[0])
        else:
            out.append(line)
        at += 1
    return out


def read_header(path):
    text = re.sub(r"\nnamespace \w+ \{\n(?:(?:(?:struct|class) \w+|using wright::\w+);\n)+\}[^\n]*\n", "\n", path.read_text())
    lines = text.split("\n")
    intro = []
    for line in lines:
        if not line.startswith("//"):
            break
        intro.append(line)
    if not intro or "#pragma once" not in lines[len(intro)]:
        raise Unfit(f"{path}: opens with no comment that says what the header is for")
    entries = []
    for chunk in chunks_of(body_of(lines[len(intro) + 1:])):
        comment = []
        while chunk and chunk[0].startswith("//"):
            comment.append(chunk.pop(0))
        if comment and comment[0].startswith("// The machinery"):
            continue
        code = without_private(chunk)
        if all(re.match(r"^(struct|class|enum class) \w+;$", line) for line in code) and code:
            continue  # declared further down, or in another header
        entries.append(Entry(comment_text(comment), code, names_in(code)))
    return Header(path.name, comment_text(intro), entries)


def read_headers(root):
    folder = root / "include/wright"
    headers, problems = [], []
    for path in sorted(folder.glob("*.h")):
        try:
            headers.append(read_header(path))
        except Unfit as unfit:
            problems.append(str(unfit))
    if problems:
        raise Unfit("\n".join(problems))
    return headers


def first_sentence(text):
    return re.split(r"(?<=[.:])\s", text.replace("\n", " "), maxsplit=1)[0].rstrip(":.") + "."


def heading_of(names):
    shown = [f"`{name}`" for name in names[:4]]
    return ", ".join(shown) + (", …" if len(names) > 4 else "")


def page_of(header):
    out = [f"# wright/{header.name}", "", header.about, "", "```cpp", f"#include <wright/{header.name}>", "```", ""]
    for entry in header.entries:
        if entry.names:
            out += [f"## {heading_of(entry.names)}", ""]
        if entry.comment:
            out += [entry.comment, ""]
        if entry.code:
            out += ["```cpp", *entry.code, "```", ""]
    return "\n".join(out)


def anchor_of(names):
    """As the toc of Markdown makes it of heading_of()."""
    text = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    text = re.sub(r"[^\w\s-]", "", text.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


def index_of(headers):
    out = ["# API reference", "",
           "Made from the public headers. `wright/wright.h` includes most of them; the last column says which",
           "are left for an include of their own.", "", "| header | for | |", "|---|---|---|"]
    all_in_one = next(header for header in headers if header.name == "wright.h")
    included = set(re.findall(r"wright/(\w+\.h)", pathlib.Path(all_in_one.path).read_text())) \
        if hasattr(all_in_one, "path") else set()
    for header in headers:
        apart = "" if header.name in included or header.name == "wright.h" else "apart"
        out.append(f"| [wright/{header.name}]({header.page}) | {first_sentence(header.about)} | {apart} |")
    out += ["", "## Every name", ""]
    links = []
    for header in headers:
        for entry in header.entries:
            for name in entry.names:
                links.append((name.lower(), f"[`{name}`]({header.page}#{anchor_of(entry.names)})"))
    out.append(" ·\n".join(link for _, link in sorted(set(links))))
    return "\n".join(out) + "\n"


def write_reference(root, out):
    headers = read_headers(root)
    for header in headers:
        header.path = root / "include/wright" / header.name
    out.mkdir(parents=True, exist_ok=True)
    for header in headers:
        if header.name != "wright.h":
            (out / header.page).write_text(page_of(header))
    (out / "wright.md").write_text(page_of(next(h for h in headers if h.name == "wright.h")))
    (out / "index.md").write_text(index_of(headers))
    return headers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    try:
        headers = write_reference(given.root, given.out)
    except Unfit as unfit:
        print(unfit, file=sys.stderr)
        return 1
    print(f"{len(headers)} headers, {sum(len(header.names) for header in headers)} names")
    return 0


if __name__ == "__main__":
    sys.exit(main())
