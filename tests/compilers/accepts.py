#!/usr/bin/env python3
"""accepts.py COMPILER SOURCE BUILD: does COMPILER accept all that the program `wright` is made of?

Configures SOURCE in the folder BUILD and lets COMPILER read every group of files, warnings as errors,
without generating code: that is the cheaper half of compiling, and the half that compilers differ in.
"""
import concurrent.futures
import os
import shlex
import subprocess
import sys


def commands_of(build: str) -> list[list[str]]:
    """What Ninja would run for `wright`, each command as its words."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "commands", "wright"], check=True,
                             capture_output=True, text=True).stdout
    return [shlex.split(line) for line in listing.splitlines() if " -c " in line]


def reading(command: list[str]) -> list[str]:
    """The same command, but nothing is written."""
    words = []
    skip = False
    for word in command:
        if skip:
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        elif word != "-MD":
            words.append(word)
    return words + ["-fsyntax-only"]


def source_of(command: list[str]) -> str:
    return command[command.index("-c") + 1]


def run(command: list[str], build: str) -> tuple[str, int, str]:
    ended = subprocess.run(command, cwd=build, capture_output=True, text=True)
    return source_of(command), ended.returncode, ended.stderr


def main() -> int:
    compiler, source, build = sys.argv[1:]
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-D", f"CMAKE_CXX_COMPILER={compiler}",
                    "-D", "CMAKE_BUILD_TYPE=Debug", "-D", "CMAKE_CXX_FLAGS_DEBUG=", "-D", "WRIGHT_WERROR=ON",
                    "-D", "WRIGHT_PRECOMPILED=ON", "-D", "WRIGHT_TESTS=OFF", "-D", "WRIGHT_EXAMPLES=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    commands = commands_of(build)
    precompiled = [command for command in commands if "cmake_pch" in source_of(command)]
    files = [command for command in commands if command[0] and "cmake_pch" not in source_of(command)]
    if len(files) < 20:
        print(f"Only {len(files)} groups of files were found: the check looks at nothing.", file=sys.stderr)
        return 1
    for command in precompiled:  # These are written: the others read them.
        subprocess.run(command, cwd=build, check=True)

    refused = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, said in pool.map(lambda command: run(reading(command), build), files):
            if status != 0:
                refused += 1
                print(f"{compiler} refuses {name}:\n{said}", file=sys.stderr)
    print(f"{compiler} accepts {len(files) - refused} of {len(files)} groups of files")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
