"""check_sbom.py SCRIPT BUILD PROGRAM: the bill of materials is SPDX, and names every shared library's package."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

script, build, program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    output = pathlib.Path(folder, "sbom.json")
    subprocess.run([sys.executable, "-B", script, "--build", build, "--program", program, "--version", "1.2.3",
                    "--output", str(output)], check=True)
    made = json.loads(output.read_text())

assert made["spdxVersion"] == "SPDX-2.3"
names = [package["name"] for package in made["packages"]]
identities = {package["SPDXID"] for package in made["packages"]} | {"SPDXRef-DOCUMENT"}
assert len(identities) == len(names) + 1, "two packages have one identity"
for relation in made["relationships"]:
    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= identities, relation
assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identity) for identity in identities)
for wanted in ("libsqlite3-0", "libcurl4", "libc6", "libboost1.81-dev", "libcli11-dev"):
    assert wanted in names, f"{wanted} is missing in {names}"
assert made["packages"][0]["versionInfo"] == "1.2.3"
