#!/usr/bin/env python3
"""Puts together what the documentation site is made of: docs/, the programs, and the API reference.

    stage.py --root REPOSITORY --out FOLDER

FOLDER/mkdocs.yml and FOLDER/pages are what mkdocs builds. Links that lead out of docs/ are turned into links to
pages of the site. A link to nothing, to a heading that is not there, and a page that the navigation forgets
are errors.
"""
import argparse
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference  # noqa: E402

# Files beside docs/ that are pages, too.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)")


def slug(heading):
    """The anchor of a heading, as Python's Markdown makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\s-]", "", text.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


def prose_of(text):
    """The text without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors_of(text):
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", prose_of(text), flags=re.MULTILINE)}


def relinked(text, name):
    """The links of a page as they are on the site, where all pages of docs/ stand in one folder."""

    def to_site(match):
        link = match.group(1)
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return match.group(0)
        path, hash_sign, anchor = link.partition("#")
        if name in ROOT_PAGES:
            path = path.removeprefix("docs/") if path.startswith("docs/") else "../" + path
        if path.startswith("../examples/"):
            path = path.removeprefix("../").replace("expected/", "").replace(".txt", ".cpp")
            path = path.removesuffix(".cpp") + ".md" if path.endswith(".cpp") else "examples/index.md"
        header = re.fullmatch(r"\.\./include/wright/(\w+)\.h", path)
        path = f"reference/{header.group(1)}.md" if header else path
        path = ROOT_PAGES.get(path.removeprefix("../"), path)
        return f"]({path}{hash_sign}{anchor})"

    return LINK.sub(to_site, text)


def titled(text, titles):
    """Links that are called like the file that they lead to, called like its page."""
    return re.sub(r"\[(?:docs/)?(\w+\.md)\](?=\()", lambda found: f"[{titles.get(found.group(1), found.group(1))}]",
                  text)


def program_page(path, expected):
    source = path.read_text()
    comment = []
    for line in source.split("\n"):
        if not line.startswith("//"):
            break
        comment.append(line.removeprefix("//").strip())
    out = [f"# {path.name}", "", " ".join(comment), "", "```cpp", source.rstrip("\n"), "```", ""]
    if expected.exists():
        out += ["It prints:", "", "```text", expected.read_text().rstrip("\n"), "```", ""]
    return "\n".join(out), reference.first_sentence(" ".join(comment))


def write_programs(root, out):
    out.mkdir(parents=True)
    rows = []
    for path in sorted((root / "examples").glob("*.cpp")):
        page, about = program_page(path, root / "examples/expected" / f"{path.stem}.txt")
        (out / f"{path.stem}.md").write_text(page)
        rows.append(f"| [{path.name}]({path.stem}.md) | {about} |")
    (out / "index.md").write_text("# Programs\n\nEach is complete. The tests build it, run it, and compare what it "
                                  "prints.\n\n| program | |\n|---|---|\n" + "\n".join(rows) + "\n")


def with_listing(config, pages):
    """mkdocs.yml with a line for every page below reference/ and examples/."""

    def lines(folder, indent):
        names = sorted(path.stem for path in (pages / folder).glob("*.md") if path.stem != "index")
        shown = [f"{indent}- {folder}/index.md"]
        for name in names:
            title = f"wright/{name}.h" if folder == "reference" else f"{name}.cpp"
            shown.append(f'{indent}- "{title}": {folder}/{name}.md')
        return "\n".join(shown)

    return re.sub(r"^( *)- (reference|examples)/$", lambda found: lines(found.group(2), found.group(1)), config,
                  flags=re.MULTILINE)


def problems_of(pages, config):
    problems = []
    texts = {str(path.relative_to(pages)): path.read_text() for path in pages.rglob("*.md")}
    listed = set(re.findall(r"([\w/]+\.md)$", config, flags=re.MULTILINE))
    problems += [f"mkdocs.yml does not list {name}" for name in sorted(texts.keys() - listed)]
    for name, text in sorted(texts.items()):
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", prose_of(text))):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            where = (pages / name).parent / path if path else pages / name
            target = str(where.resolve().relative_to(pages.resolve())) if where.exists() else None
            if target is None:
                problems.append(f"{name}: the link {link} leads to nothing")
            elif anchor and anchor not in anchors_of(texts.get(target, "")):
                problems.append(f"{name}: {target} has no heading #{anchor}")
    return problems


def stage(root, out):
    shutil.rmtree(out, ignore_errors=True)
    pages = out / "pages"
    pages.mkdir(parents=True)
    sources = {path.name: path for path in sorted((root / "docs").glob("*.md"))}
    sources |= {name: root / name for name in ROOT_PAGES}
    listing = (root / "mkdocs.yml").read_text()
    titles = {name: title for title, name in re.findall(r"^ *- ([^:\n]+): (\w+\.md)$", listing, flags=re.MULTILINE)}
    for name, path in sources.items():
        (pages / ROOT_PAGES.get(name, name)).write_text(titled(relinked(path.read_text(), name), titles))
    for folder in ("pictures",):
        if (root / "docs" / folder).exists():
            shutil.copytree(root / "docs" / folder, pages / folder)
    shutil.copy(root / "docs/site/style.css", pages / "style.css")
    write_programs(root, pages / "examples")
    reference.write_reference(root, pages / "reference")
    config = with_listing(listing, pages)
    (out / "mkdocs.yml").write_text(config)
    return problems_of(pages, config)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    try:
        problems = stage(given.root, given.out)
    except reference.Unfit as unfit:
        problems = [str(unfit)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
