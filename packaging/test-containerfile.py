#!/usr/bin/env python3
"""Executes the steps of the Containerfile in a chroot, for machines without a container engine.

    test-containerfile.py --root CLEAN_DEBIAN.tar --tree TREE [--given STAGE=FOLDER] [--until TEXT] COMMAND…

A stage that is given by a folder is not built: what others copy from it is taken from there, by the last part of
its name. With --until, execution stops before the first RUN that contains the text. Afterwards the COMMAND is
run in the last stage, as its user and in its folder, as the arguments of its entry point. Needs root.
"""
import argparse
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

INSTRUCTIONS = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"}


def steps_of(text):
    """(instruction, rest) of each step; lines that end with a backslash are joined, comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            instruction, _, rest = line.strip().partition(" ")
            if instruction not in INSTRUCTIONS:
                sys.exit(f"Containerfile: unknown instruction {instruction}")
            yield instruction, rest.strip()


class Stage:
    def __init__(self, folder, archive):
        self.root, self.folder, self.user, self.environment, self.entry = folder, "/", "root", {}, []
        subprocess.run(["tar", "-C", folder, "-xf", archive], check=True)
        shutil.copy("/etc/resolv.conf", os.path.join(folder, "etc/resolv.conf"))

    def path(self, name):
        whole = os.path.join(self.folder, name)
        return os.path.join(self.root, whole.lstrip("/")) + ("/" if name.endswith(("/", ".")) else "")

    def run(self, command):
        settings = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                    **self.environment}
        prepare = ('mount --rbind /dev "$0/dev" && mount -t tmpfs none "$0/dev/shm" 2>/dev/null; cd "$0" && '
                   'exec chroot "$@"')
        user = [] if self.user == "root" else [f"--userspec={self.user}"]
        inner = ["env", "-i", *(f"{name}={value}" for name, value in settings.items()),
                 "sh", "-c", f'cd {shlex.quote(self.folder)} && exec "$@"', "sh", *command]
        subprocess.run(["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc", "bash", "-c",
                        prepare, self.root, *user, self.root, *inner], check=True)

    def copy(self, sources, target):
        destination = self.path(target)
        is_folder = destination.endswith("/") or len(sources) > 1
        os.makedirs(destination if is_folder else os.path.dirname(destination), exist_ok=True)
        for source in sources:
            if os.path.isdir(source):
                # The context without what .containerignore names.
                subprocess.run(["rsync", "-a", "--exclude=/.git", "--exclude=/build", source + "/", destination]
                               if shutil.which("rsync") else
                               ["bash", "-c", 'tar -C "$0" --exclude=./.git --exclude=./build -c . | tar -C "$1" -x',
                                source, destination], check=True)
            else:
                shutil.copy(source, destination)


def execute(arguments):
    tree = pathlib.Path(arguments.tree).resolve()
    given = dict(entry.split("=", 1) for entry in arguments.given)
    stages, stage, is_skipped = {}, None, False
    with tempfile.TemporaryDirectory() as work:
        for instruction, rest in steps_of((tree / "packaging/Containerfile").read_text()):
            if instruction == "FROM":
                image, _, name = rest.partition(" AS ")
                assert re.fullmatch(r"debian:12(-slim)?", image), image
                is_skipped = name in given
                if not is_skipped:
                    folder = os.path.join(work, name or "last")
                    os.mkdir(folder)
                    stage = stages[name] = Stage(folder, arguments.root)
            if is_skipped:
                continue
            print("==", instruction, rest[:100], flush=True)
            if instruction == "RUN":
                if arguments.until and arguments.until in rest:
                    return
                stage.run(["sh", "-ec", rest])
            elif instruction == "COPY":
                words = rest.split()
                if words[0].startswith("--from="):
                    name = words.pop(0).removeprefix("--from=")
                    found = [path for word in words[:-1] for path in glob.glob(
                        os.path.join(given[name], os.path.basename(word)) if name in given else stages[name].path(word))]
                else:
                    found = [str(tree / word) for word in words[:-1]]
                assert found, f"nothing is copied by: {rest}"
                stage.copy(found, words[-1])
            elif instruction == "WORKDIR":
                stage.folder = os.path.join(stage.folder, rest)
                os.makedirs(stage.path("."), exist_ok=True)
            elif instruction == "USER":
                stage.user = rest
            elif instruction == "ENV":
                name, _, value = rest.partition("=")
                stage.environment[name] = value
            elif instruction == "ENTRYPOINT":
                stage.entry = json.loads(rest)
            elif instruction == "CMD":
                json.loads(rest)
        print("==", *stage.entry, *arguments.command, flush=True)
        stage.run([*stage.entry, *arguments.command])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", required=True)
    parser.add_argument("--tree", required=True)
    parser.add_argument("--given", action="append", default=[])
    parser.add_argument("--until")
    parser.add_argument("command", nargs="*")
    execute(parser.parse_args())


if __name__ == "__main__":
    main()
