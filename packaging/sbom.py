#!/usr/bin/env python3
"""The bill of materials of a program, as SPDX 2.3 JSON: what it was built from, and what it opens.

    sbom.py --build BUILD --program PROGRAM --version VERSION --output FILE

Nothing is listed by hand. Shared libraries are those that the program names (NEEDED, and names of libraries
in its text, which it opens when they are used); static ones are those of the command that linked it; headers
are those that its objects were compiled from, as Ninja noted. Debian's database says to which package and
version each of these files belongs.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from datetime import datetime, timezone


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def spellings(path):
    """The names under which dpkg may know a file: /lib is /usr/lib on merged systems."""
    names = [path, os.path.realpath(path)]
    names += [name.removeprefix("/usr") for name in names if name.startswith("/usr/lib")]
    return list(dict.fromkeys(names))


def owners(paths):
    """{package: files} of files that dpkg knows; of the others there is nothing to say."""
    wanted = sorted({name for path in paths for name in spellings(path)})
    found = {}
    for start in range(0, len(wanted), 500):
        asked = subprocess.run(["dpkg", "-S", "--", *wanted[start:start + 500]], capture_output=True,
                               text=True, check=False)
        for line in asked.stdout.splitlines():
            names, _, path = line.partition(": ")
            if not line.startswith("diversion by "):
                found.setdefault(names.split(",")[0].strip(), set()).add(path)
    return found


def linked_statically(build, program):
    """Archives outside of the build, of the command that linked the program; and its objects."""
    target = os.path.relpath(program, build)
    commands = output_of("ninja", "-C", build, "-t", "commands", "-s", target)
    words = commands.splitlines()[-1].split()
    archives = {word for word in words if word.startswith("/") and word.endswith(".a")}
    archives = {path for path in archives if not path.startswith(build + os.sep)}
    compiler = words[next(i for i, word in enumerate(words) if re.search(r"(g\+\+|clang\+\+|c\+\+)[-0-9]*$", word))]
    for option, archive in (("-static-libstdc++", "libstdc++.a"), ("-static-libgcc", "libgcc.a")):
        if option in words:
            archives.add(output_of(compiler, "-print-file-name=" + archive).strip())
    return archives


def headers(build, program):
    """Headers of the system that the program's objects include, also precompiled."""
    target = os.path.relpath(program, build)
    inputs = set(output_of("ninja", "-C", build, "-t", "inputs", target).split())
    found, is_wanted = set(), False
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith("    "):
            path = os.path.normpath(line.strip())
            if is_wanted and path.startswith("/usr/include/"):
                found.add(path)
        elif line:
            is_wanted = line.split(":")[0] in inputs
    return found


def shared(program):
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", program)))


def opened_later(program):
    """Names of libraries that stand in the program's text."""
    text = pathlib.Path(program).read_bytes()
    return {name.decode() for name in re.findall(rb"\0(lib[a-z][a-z0-9_+-]*\.so\.[0-9]+)(?=\0)", text)}


def machine_of(path):
    """Class, byte order and machine of an ELF file: a machine may have libraries for several."""
    with open(path, "rb") as file:
        head = file.read(20)
    return head[4:6] + head[18:20]


def paths_of(names, machine):
    listed = re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", output_of("/sbin/ldconfig", "-p"), re.M)
    known = {}
    for name, path in listed:  # the loader takes the first that fits
        if name in names and name not in known and machine_of(path) == machine:
            known[name] = path
    return set(known.values())


def license_of(package):
    """What the machine-readable copyright file says of all files, where it is a name that SPDX has."""
    try:
        text = pathlib.Path(f"/usr/share/doc/{package.split(':')[0]}/copyright").read_text(errors="replace")
    except OSError:
        return "NOASSERTION"
    stanza = re.search(r"^Files:[ \t]*\*[ \t]*\n(?:.+\n)*?License:[ \t]*(\S+)[ \t]*$", text, re.M)
    name = stanza.group(1) if stanza else ""
    names = {"expat": "MIT", "bsl-1.0": "BSL-1.0", "boost-1.0": "BSL-1.0", "apache-2.0": "Apache-2.0",
             "mit": "MIT", "bsd-3-clause": "BSD-3-Clause", "lgpl-2.1": "LGPL-2.1-only", "curl": "curl",
             "lgpl-2.1+": "LGPL-2.1-or-later", "postgresql": "PostgreSQL", "public-domain": "NOASSERTION"}
    return names.get(name.lower(), "NOASSERTION")


def facts_of(package):
    form = "${Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\t${Homepage}"
    return output_of("dpkg-query", "-W", "-f", form, package).splitlines()[0].split("\t")


def described(package, use):
    name, version, source, source_version, architecture, homepage = facts_of(package)
    return {
        "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}",
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "homepage": homepage or "NOASSERTION",
        "sourceInfo": f"built from the source package {source} {source_version}",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_of(package),
        "copyrightText": "NOASSERTION",
        "comment": use,
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}"
                                              f"?arch={architecture}"}],
    }


def document(arguments):
    program = os.path.abspath(arguments.program)
    build = os.path.abspath(arguments.build)
    machine = machine_of(program)
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    # What is linked counts before what is only included.
    groups = [("STATIC_LINK", "linked statically", linked_statically(build, program)),
              ("DYNAMIC_LINK", "linked dynamically", paths_of(shared(program), machine)),
              ("OPTIONAL_DEPENDENCY_OF", "opened when it is used", paths_of(opened_later(program), machine)),
              ("CONTAINS", "headers compiled into the program", headers(build, program))]
    own = "SPDXRef-wright"
    packages = [{
        "SPDXID": own, "name": "wright", "versionInfo": arguments.version,
        "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own}]
    seen = set()
    for relation, use, files in groups:
        for package in sorted(owners(files)):
            if package in seen:
                continue
            seen.add(package)
            part = described(package, use)
            packages.append(part)
            ends = (part["SPDXID"], own) if relation.endswith("_OF") else (own, part["SPDXID"])
            relations.append({"spdxElementId": ends[0], "relationshipType": relation, "relatedSpdxElement": ends[1]})
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or os.stat(program).st_mtime)
    created = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"wright-{arguments.version}",
            "documentNamespace": f"urn:wright:spdx:{arguments.version}:{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]},
            "packages": packages, "relationships": relations}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("build", "program", "version", "output"):
        parser.add_argument("--" + name, required=True)
    arguments = parser.parse_args()
    made = document(arguments)
    if len(made["packages"]) < 2:
        sys.exit("sbom.py: dpkg knows nothing that this program is made of")
    pathlib.Path(arguments.output).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
