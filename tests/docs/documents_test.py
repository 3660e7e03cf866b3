#!/usr/bin/env python3
"""Checks the checks: that a page, a name, a link or a header that is wrong is found, and that pictures are taken.

The environment's WRIGHT is the program.
"""
import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
import check_names  # noqa: E402
import check_pages  # noqa: E402
import pictures  # noqa: E402
import reference  # noqa: E402
import stage  # noqa: E402
import terminal  # noqa: E402

WRIGHT = pathlib.Path(os.environ["WRIGHT"]).resolve()


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def page(self, text, name="page.md"):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Blocks(Folder):
    wright = check_pages.Wright(WRIGHT)

    def problems(self, text):
        return check_pages.check(ROOT, [self.page(text)], self.wright)[1]

    def refused(self, text, word):
        problems = self.problems(text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_programs_that_nobody_compiles(self):
        self.refused("```cpp\nint x;\n```\n", "no test compiles")
        self.refused("<!-- examples/01_hello.cpp -->\n```cpp\nint main() {}\n```\n", "otherwise than it is")
        self.refused("<!-- snippet tools.spill -->\n```cpp\nint x;\n```\n", "otherwise than it is")

    def test_blocks_that_nothing_covers(self):
        self.refused("Look:\n\n    It may print this.\n", "covered by nothing")
        self.refused("```\nIt may print this.\n```\n", "covered by nothing")
        self.refused("<!-- as in README.md -->\n\n    No such line.\n", "does not stand in README.md")
        self.assertEqual(self.problems("<!-- as in README.md -->\n\n    # Wright\n"), [])

    def test_commands_and_flags_that_are_not_there(self):
        self.refused("So:\n\n    wright rnu codebase-analysis\n", "no command rnu")
        self.refused("So:\n\n    wright run x --colour red\n", "has no --colour")
        self.refused("So:\n\n    wright sessions prune --younger-than 3d\n", "has no --younger-than")
        self.assertEqual(self.problems("So:\n\n    wright sessions prune --older-than 3d\n    make bench\n"), [])

    def test_settings_and_agents_that_are_refused(self):
        self.refused("```toml\n[agent]\nmodle = 'x'\n```\n", "modle")
        self.refused("<!-- an agent's file -->\n```toml\ninstructions = 'x'\ntols = ['grep']\n```\n", "tols")
        self.refused("```toml\n[agent\n```\n", "")
        self.refused("```json\n{1}\n```\n", "")
        self.refused("```python\nimport import\n```\n", "")

    def test_exceptions_are_listed(self):
        _, problems, exceptions, _ = check_pages.check(ROOT, [self.page("<!-- not checked: because -->\n```\nx\n```\n")])
        self.assertEqual(problems, [])
        self.assertIn("because", exceptions[0])


class Named(Folder):
    def refused(self, text, word, name="page.md"):
        problems = check_names.check(ROOT, [self.page(text, name)])
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_names_that_no_header_has(self):
        self.refused("Use `wright::open_store_of_dreams()`.\n", "no public header")
        self.refused("Set `RunOptions::colour`.\n", "no public header")
        self.refused("Set `RunOptions::timeout`.\n", "RunOptions has no timeout")
        self.assertEqual(check_names.check(ROOT, [self.page("Set `RunOptions::on_text`, `wright::run()`.\n")]), [])

    def test_files_that_are_not_there(self):
        self.refused("See `src/core/dream.cpp`.\n", "no such file")
        self.refused("See `wright/dream.h`.\n", "no such header")
        self.refused("`resume()` (`src/core/json.cpp`)\n", "has no resume", "trace.md")


class Site(Folder):
    def test_a_header_without_words(self):
        path = self.page("#pragma once\nint x;\n", "include/wright/bare.h")
        with self.assertRaises(reference.Unfit):
            reference.read_header(path)
        with self.assertRaises(reference.Unfit):
            reference.read_headers(self.path)

    def test_what_a_header_declares(self):
        header = reference.read_header(self.page(
            "// Boxes.\n#pragma once\n\n#include <string>\n\nnamespace wright {\n\nnamespace detail {\nint hidden();\n}\n\n"
            "// Holds things.\nstruct Box {\n  int size = 0;  // in litres\n\n private:\n  int secret_;\n};\n\n"
            "enum class Kind { small, large };\n\n// Opens one.\nResult<Box> open_box(Kind kind,\n"
            "                     int size = {});\ntemplate <class T>\nT inside(const Box& box);\n\n}  // namespace wright\n",
            "include/wright/box.h"))
        self.assertEqual(header.names, ["Box", "Kind", "open_box", "inside"])
        page = reference.page_of(header)
        for word in ("Boxes.", "Holds things.", "in litres", "Opens one.", "## `Box`"):
            self.assertIn(word, page)
        for word in ("hidden", "secret_"):
            self.assertNotIn(word, page)

    def test_every_public_type_has_an_entry(self):
        names = {name for header in reference.read_headers(ROOT) for name in header.names}
        for path in (ROOT / "include/wright").glob("*.h"):
            text = "\n".join(reference.body_of(path.read_text().split("\n")))
            for name in re.findall(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^{;]*)? \{", text,
                                   flags=re.MULTILINE):
                self.assertTrue(name in names, f"{path}: {name}")

    def test_links_to_nothing(self):
        pages = self.path / "pages"
        self.page("# One\n\n[a](two.md) [b](three.md) [c](two.md#there) [d](two.md#gone)\n", "pages/one.md")
        self.page("# Two\n\n## There\n", "pages/two.md")
        problems = stage.problems_of(pages, "nav:\n  - One: one.md\n")
        self.assertEqual(len(problems), 3, problems)
        for word in ("does not list two.md", "three.md leads to nothing", "no heading #gone"):
            self.assertTrue(any(word in problem for problem in problems), word)


class Pictures(Folder):
    def test_a_screen_shows_what_a_terminal_shows(self):
        screen = terminal.Screen(columns=10)
        screen.feed("one\r\n\x1b[31mtwo\x1b[0m three\x1b[3D\x1b[K\x1b[1A\rO\x1b]0;title\x07\x1b[")
        screen.feed("5Ctail")
        self.assertEqual(screen.text(), ["One   tail", "two th"])
        self.assertEqual(screen.lines[1][0], ("t", ("c31",)))

    def test_a_picture_is_taken_of_a_real_run(self):
        picture = pictures.take("run", WRIGHT, ROOT)
        shown = "".join(xml.etree.ElementTree.fromstring(picture).itertext())
        self.assertIn("alpha.cpp:2", shown)
        self.assertIn("session 1", shown)

    def test_pictures_are_there_and_small(self):
        for name in pictures.PICTURES:
            path = ROOT / "docs/pictures" / f"{name}.svg"
            xml.etree.ElementTree.parse(path)
            self.assertLess(path.stat().st_size, 20_000)


if __name__ == "__main__":
    unittest.main()
