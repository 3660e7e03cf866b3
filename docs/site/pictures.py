#!/usr/bin/env python3
"""Takes the pictures of the terminal that the documents show, from real runs.

    pictures.py --wright BINARY --root REPOSITORY --out FOLDER [NAME…]

Each runs in a scene of tests/docs, as a page does, on a terminal of 80 columns, and becomes an SVG of text: a few
kilobytes, sharp at any size. Of the conversation in SCREENS, screens are taken as a person sees them, on a small and on a
large terminal. Standard library only.
"""
import argparse
import html
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "tests/docs"))
import run_page  # noqa: E402
import terminal  # noqa: E402

# Name, scene, script of a model or nothing, command, what is typed at which prompt.
PICTURES = {
    "run": ("project", None, 'wright run codebase-analysis "Where is alpha_function defined?"', []),
    "chat": ("project", None, "wright chat",
             [("> ", "Where is beta_function defined?"), ("> ", "how many files are there?"), ("> ", "/usage")]),
    "plan": ("shop", "plan.json", 'wright run coding --no-input "The total should be rounded"', []),
    "approval": ("shop", "approval.json", 'wright run coding "Publish a release"', [("[y/s/n/never] > ", "n"), ("> ", "Not on a Friday")]),
}

# A conversation of which several screens are shown: scene, script, command, and at which prompt what is typed; with a
# name, the screen that stands there is taken first.
SCREENS = ("shop", "coding.json", "wright chat coding", [
    ("> ", "The total should be rounded to cents", None),
    ("[y/s/n/never] > ", "n", "approval"),
    ("> ", "Not on a Friday", None),
    ("> ", "/diff", "answer"),
    ("> ", "/undo", "diff"),
    ("Enter: nothing  ", "y", "undo"),
    ("> ", "/sessions", None),
    ("Which session? ", "\x07", "picker"),
])
SIZES = ((80, 24), (140, 50))

BACKGROUND, FOREGROUND = "#1c2128", "#d5dbe3"
COLOURS = {30: "#545d68", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#56d4dd",
           37: "#d5dbe3", 90: "#768390", 91: "#ffa198", 92: "#a5f3b0", 93: "#f0d080", 94: "#a5d6ff", 95: "#e2c5ff",
           96: "#8be9f0", 97: "#ffffff"}
WIDTH, HEIGHT, MARGIN = 8.4, 18, 14


def attributes(style):
    out = []
    for word in style:
        if word.startswith("c"):
            out.append(f'fill="{COLOURS.get(int(word[1:]), FOREGROUND)}"')
        elif word == "1":
            out.append('font-weight="bold"')
        elif word == "2":
            out.append('fill-opacity=".6"')
        elif word == "3":
            out.append('font-style="italic"')
        elif word == "4":
            out.append('text-decoration="underline"')
    return " ".join(out)


def runs_of(line):
    """Cells of one style, as (column, text, style)."""
    runs = []
    for column, (text, style) in enumerate(line):
        if runs and runs[-1][2] == style:
            runs[-1] = (runs[-1][0], runs[-1][1] + text, style)
        else:
            runs.append((column, text, style))
    return [(column, text, style) for column, text, style in runs if text.strip()]


def shown_text(text):
    """Runs of blanks, which browsers would draw as one."""
    return re.sub(" {2,}", lambda blanks: "\u00a0" * len(blanks[0]), html.escape(text))


def svg_of(command, lines, columns, rows=None):
    shown = [*lines, *[[]] * (rows - len(lines))] if rows else [
        [(character, ("1",)) for character in f"$ {command}"], *lines]
    width, height = columns * WIDTH + 2 * MARGIN, len(shown) * HEIGHT + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
           'font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="14">',
           f"<title>{html.escape('$ ' + command)}</title>",
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
           f'<g fill="{FOREGROUND}" xml:space="preserve">']
    for row, line in enumerate(shown):
        for column, text, style in runs_of(line):
            indent = len(text) - len(text.lstrip())
            x, y = MARGIN + (column + indent) * WIDTH, MARGIN + row * HEIGHT + 13
            length = f'textLength="{sum(terminal.width_of(c) for c in text.strip()) * WIDTH:g}"'
            out.append(f'<text x="{x:g}" y="{y}" {length} {attributes(style)}>{shown_text(text.strip())}</text>'
                       .replace(" >", ">"))
    return "\n".join([*out, "</g>", "</svg>", ""])


def take(name, wright, root, columns=80):
    scene, script, command, typed = PICTURES[name]
    reader = run_page.Reader(wright, root)
    try:
        reader.go_to(scene)
        if script:
            reader.listen_to(root / "tests/docs/scenes" / script)
        environment = reader.environment()
        if not script:  # nobody is asked to choose a model
            environment["WRIGHT_MODEL"] = "offline"
        seen = terminal.Terminal(["bash", "-c", command], columns, folder=reader.folder,
                                 environment=environment)
        for prompt, text in typed:
            if not seen.wait_for(lambda screen: screen.cursor_line().endswith(prompt)):
                raise SystemExit(f"{name}: no prompt '{prompt}':\n" + "\n".join(seen.screen.text()))
            row = seen.screen.row
            seen.type(text + "\r")
            seen.wait_for(lambda screen: screen.row > row)
        if command == "wright chat" and seen.wait_for(lambda screen: screen.cursor_line() == "> "):
            seen.type("\x04")
        seen.close()
    finally:
        reader.leave()
    lines = list(seen.screen.lines)
    while lines and not "".join(text for text, _ in lines[-1]).strip():
        lines.pop()
    return svg_of(command, lines, columns)


def take_screens(wright, root, columns, rows):
    """Pairs of a name and a picture."""
    scene, script, command, typed = SCREENS
    reader = run_page.Reader(wright, root)
    try:
        reader.go_to(scene)
        reader.listen_to(root / "tests/docs/scenes" / script)
        seen = terminal.Terminal(["bash", "-c", command], columns, rows, folder=reader.folder,
                                 environment=reader.environment())
        for prompt, text, name in typed:
            if not seen.wait_for(lambda screen: screen.cursor_line().endswith(prompt)):
                raise SystemExit(f"{command}: no prompt '{prompt}':\n" + "\n".join(seen.screen.text()))
            seen.settle()
            if name:
                yield f"coding-{name}-{columns}x{rows}", svg_of(command, seen.screen.lines[-rows:], columns, rows)
            row = seen.screen.row
            seen.type(text if text == "\x07" else text + "\r")
            seen.wait_for(lambda screen: screen.row != row or not screen.cursor_line().endswith(prompt))
        seen.type("\x04")
        seen.close()
    finally:
        reader.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wright", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    wright, root = given.wright.resolve(), given.root.resolve()
    taken = [(name, take(name, wright, root)) for name in given.names or PICTURES if name != "coding"]
    if not given.names or "coding" in given.names:
        for columns, rows in SIZES:
            taken += take_screens(wright, root, columns, rows)
    for name, picture in taken:
        path = given.out / f"{name}.svg"
        path.write_text(picture)
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
