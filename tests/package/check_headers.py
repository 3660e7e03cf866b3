"""check_headers.py PACKAGING BUILD SECTION…: every header of the system that the build has included belongs to a package
of these sections of debian-packages.txt, or to one that they depend on. A header that merely lies on this machine
would stop the build on a new one."""
import os
import subprocess
import sys

packaging, build, *sections = sys.argv[1:]
sys.path.insert(0, packaging)
from sbom import output_of, owners  # noqa: E402


def named(list_of_packages):
    found, section = set(), None
    for line in open(list_of_packages, encoding="utf-8").read().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#") and section in sections:
            found.add(line.strip())
    return found


def installed():
    """{package: what it depends on, the first of alternatives that is there}, and who provides a name."""
    form = "${db:Status-Status}\t${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    rows = [line.split("\t") for line in output_of("dpkg-query", "-W", "-f", form).splitlines()]
    rows = [row[1:] for row in rows if row[0] == "installed"]
    name_of = lambda words: words.strip().split(" ")[0].split(":")[0]
    provided = {package: package for package, _, _ in rows}
    for package, provides, _ in rows:
        for words in filter(str.strip, provides.split(",")):
            provided.setdefault(name_of(words), package)
    needs = {}
    for package, _, depends in rows:
        for alternatives in filter(str.strip, depends.split(",")):
            there = [provided[name_of(words)] for words in alternatives.split("|") if name_of(words) in provided]
            needs.setdefault(package, set()).update(there[:1])
    return needs


def closure(packages, needs):
    found, open_ends = set(), list(packages)
    while open_ends:
        package = open_ends.pop()
        if package not in found:
            found.add(package)
            open_ends += needs.get(package, ())
    return found


def headers():
    found = {}
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith("    "):
            path = os.path.normpath(line.strip())
            if path.startswith("/usr/") and not path.startswith("/usr/local/"):
                found.setdefault(path, output)
        elif line:
            output = line.split(":")[0]
    return found


included = headers()
assert len(included) > 500, f"only {len(included)} headers of the system: this checks nothing"
known = closure(named(os.path.join(packaging, "debian-packages.txt")), installed())
strange = {package: files for package, files in owners(included).items() if package.split(":")[0] not in known}
for package, files in sorted(strange.items()):
    path = sorted(files)[0]
    print(f"{path} is of {package}, which nothing here installs; {included.get(path, 'a file')} includes it")
print(f"{len(included)} headers, {len(known)} packages")
sys.exit(1 if strange else 0)
