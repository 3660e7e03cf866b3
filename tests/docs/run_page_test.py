#!/usr/bin/env python3
"""Checks run_page.py: that it finds what is wrong with a page, and nothing else."""
import pathlib
import tempfile
import unittest

import run_page

ROOT = pathlib.Path(__file__).resolve().parents[2]
IN = "<!-- commands: in project -->\n\n"


def problems_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
        page.write(text)
        page.flush()
        reader = run_page.Reader(pathlib.Path("/bin/true"), ROOT)
        try:
            return run_page.run(pathlib.Path(page.name), reader)
        finally:
            reader.leave()


class Pages(unittest.TestCase):
    def fits(self, text, commands=1):
        self.assertEqual(problems_of(text), (commands, []))

    def differs(self, text, word):
        _, problems = problems_of(text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(word, problems[0])

    def test_what_is_shown_is_printed(self):
        self.fits(IN + "    $ echo one; echo two >&2\n    one\n    two\n")
        self.fits(IN + "```\n$ echo one\none\n$ echo two\ntwo\n```\n", 2)

    def test_another_output_is_found(self):
        self.differs(IN + "    $ echo one\n    two\n", "+one")
        self.differs(IN + "    $ echo one; echo two\n    one\n", "+two")
        self.differs(IN + "    $ true\n    one\n", "-one")

    def test_numbers_hold_unless_they_drift(self):
        self.differs(IN + "    $ echo 3 files\n    4 files\n", "3 files")
        self.fits(IN + "<!-- commands: counts drift -->\n\n    $ echo 3 files\n    4 files\n")
        self.fits(IN + "    $ echo in 3 ms\n    in 1.2 s\n")

    def test_an_ellipsis_stands_for_anything(self):
        self.fits(IN + "    $ seq 5\n    1\n    …\n    5\n")
        self.fits(IN + "    $ seq 5\n    1\n    …\n")
        self.fits(IN + "    $ echo one two three\n    one … three\n")
        self.differs(IN + "    $ seq 5\n    1\n    …\n    6\n", "6")

    def test_commands_go_on(self):
        self.fits(IN + "    $ echo one \\\n        two\n    one two\n")
        self.fits(IN + '    $ echo "one\n      two"\n    one two\n')

    def test_an_exit_code_is_known_to_the_next_command(self):
        self.fits(IN + "    $ false\n    $ echo $?\n    1\n", 2)

    def test_hidden_commands_must_succeed(self):
        self.fits(IN + "<!-- commands: run touch here -->\n\n    $ ls here\n    here\n")
        self.differs(IN + "<!-- commands: run false -->\n", "exit code 1")

    def test_nothing_is_left_out_by_mistake(self):
        self.differs("    $ true\n", "in which folder")
        self.differs("<!-- commands: whatever -->\n", "unknown direction")
        self.fits("<!-- commands: not run, it cannot be -->\n\n    $ false\n    one\n", 0)

    def test_a_person_types_at_a_terminal(self):
        block = IN + "<!-- commands: at a terminal -->\n\n    $ read -p '> ' x; echo $x\n    > twice\n    {}\n"
        self.fits(block.format("twice"))
        self.differs(block.format("thrice"), "+twice")
        self.fits(IN + "<!-- commands: at a terminal -->\n\n    $ test -t 1 && tput cols\n    80\n")

    def test_a_server_lives_to_the_end_of_the_page(self):
        serve = "python3 -c 'import sys, time; print(sys.argv[2], flush=True); time.sleep(60)'"
        self.fits(IN + f"<!-- commands: as a server -->\n\n    $ {serve}\n    127.0.0.1:7411\n\n"
                  "Then:\n\n    $ echo http://127.0.0.1:7411/\n    http://127.0.0.1:7411/\n", 2)

    def test_a_model_says_what_its_script_says(self):
        self.fits(IN + "<!-- commands: model plan.json -->\n\n    $ url=$(sed -n 's/base_url = //p' "
                  "~/.config/wright/config.toml | tr -d '\"'); curl -s $url/chat/completions -d '{}' | "
                  "jq -r '.choices[0].message.content, (.choices[0].message.tool_calls | length)'\n"
                  "    I look at the code first.\n    2\n")


if __name__ == "__main__":
    unittest.main()
