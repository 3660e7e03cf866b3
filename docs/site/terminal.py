"""A terminal for programs that want one: a pseudo-terminal, the screen behind it, and a person who types.

Understands what Wright writes: text, colours, moving the cursor, erasing. Standard library only.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

CSI = re.compile(r"\x1b\[([?>=]?)([\d;]*)([ -/]*)([@-~])")
OSC = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def width_of(character):
    if unicodedata.combining(character) or character in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Lines of cells, as long as the program likes: what scrolled out at the top is still there."""

    def __init__(self, columns=80):
        self.columns = columns
        self.lines = [[]]
        self.row = 0
        self.column = 0
        self.style = ()
        self.saved = (0, 0)
        self.rest = ""

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            character = text[at]
            if character == "\x1b":
                found = CSI.match(text, at) or OSC.match(text, at)
                if found:
                    if text[at + 1] == "[":
                        self.control(*found.groups())
                    at = found.end()
                    continue
                if len(text) - at < 40 and (len(text) == at + 1 or text[at + 1] in "[]"):
                    self.rest = text[at:]
                    return
                if text[at + 1] == "7":
                    self.saved = (self.row, self.column)
                elif text[at + 1] == "8":
                    self.row, self.column = self.saved
                at += 2
                continue
            self.put(character)
            at += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif character >= " " and character != "\x7f":
            width = width_of(character)
            if self.column + width > self.columns:
                self.row, self.column = self.row + 1, 0
            line = self.line()
            while len(line) < self.column + width:
                line.append((" ", ()))
            if width == 0 and self.column > 0:
                before, style = line[self.column - 1]
                line[self.column - 1] = (before + character, style)
                return
            line[self.column] = (character, self.style)
            if width == 2:
                line[self.column + 1] = ("", self.style)
            self.column += width
        self.line()

    def line(self):
        while len(self.lines) <= self.row:
            self.lines.append([])
        return self.lines[self.row]

    def control(self, mark, numbers, _, final):
        values = [int(number) if number else 0 for number in numbers.split(";")]
        first = max(1, values[0])
        if mark:
            return
        if final == "A":
            self.row = max(0, self.row - first)
        elif final == "B":
            self.row += first
        elif final == "C":
            self.column = min(self.columns - 1, self.column + first)
        elif final == "D":
            self.column = max(0, self.column - first)
        elif final == "G":
            self.column = first - 1
        elif final == "K":
            line = self.line()
            if values[0] == 0:
                del line[self.column:]
            elif values[0] == 2:
                line.clear()
        elif final == "J":
            if values[0] == 0:
                del self.line()[self.column:]
                del self.lines[self.row + 1:]
            elif values[0] >= 2:
                self.lines, self.row, self.column = [[]], 0, 0
        elif final == "H":
            self.row, self.column = 0, 0
        elif final == "m":
            self.set_style(values)
        self.line()

    def set_style(self, values):
        style = list(self.style)
        for value in values:
            if value == 0:
                style = []
            elif value in (22, 23, 24, 27, 39, 49):
                gone = {22: ("1", "2"), 23: ("3",), 24: ("4",), 27: ("7",)}.get(value)
                style = [word for word in style
                         if (word not in gone if gone else not word.startswith("c" if value == 39 else "b"))]
            elif 30 <= value <= 37 or 90 <= value <= 97:
                style = [word for word in style if not word.startswith("c")] + [f"c{value}"]
            elif value in (1, 2, 3, 4, 7):
                style.append(str(value))
        self.style = tuple(sorted(set(style)))

    def text(self):
        return ["".join(cell for cell, _ in line).rstrip() for line in self.lines]

    def cursor_line(self):
        """What stands before the cursor."""
        return "".join(cell for cell, _ in self.line()[:self.column])


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, command, columns=80, rows=200, folder=None, environment=None):
        self.screen = Screen(columns)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.status = None
        self.pid, self.end = pty.fork()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            if folder:
                os.chdir(folder)
            os.execvpe(command[0], command, environment or dict(os.environ))

    def read(self, seconds):
        """What comes within that time, onto the screen. False when the program has ended."""
        if not select.select([self.end], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.end, 65536)
        except OSError:
            data = b""
        self.screen.feed(self.decoder.decode(data))
        return bool(data)

    def wait_for(self, wanted, seconds=60):
        """Until wanted(screen) says so. Whether it did."""
        until = time.monotonic() + seconds
        while not wanted(self.screen):
            if time.monotonic() > until or not self.read(1):
                return wanted(self.screen)
        return True

    def settle(self, seconds=0.5):
        """Until nothing has come for that time: what stands below a prompt is drawn after it."""
        while select.select([self.end], [], [], seconds)[0]:
            if not self.read(0):
                return

    def type(self, text):
        os.write(self.end, text.encode())

    def close(self, seconds=20):
        """Reads to the end. The exit code; a program that does not end is killed."""
        until = time.monotonic() + seconds
        while self.read(1) and time.monotonic() < until:
            pass
        if time.monotonic() >= until:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.end)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status
