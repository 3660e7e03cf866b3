#!/usr/bin/env python3
"""budget_test.py BUDGET_SCRIPT COMPILER: what is within its budget passes, one function more does not, nor does a
folder that has none; objects that the build no longer names do not count."""
import json
import pathlib
import subprocess
import sys
import tempfile

script, compiler = sys.argv[1:]


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


with tempfile.TemporaryDirectory() as work:
    build = pathlib.Path(work)
    budget = build / "budget.json"
    entries = []

    def add_object(folder, functions, named=True):
        output = f"src/{folder}/CMakeFiles/x.dir/{folder}.cpp.o"
        (build / output).parent.mkdir(parents=True, exist_ok=True)
        source = build / f"{folder}.cpp"
        source.write_text("int here;\n" + "".join(f"int f{i}() {{ return {i}; }}\n" for i in range(functions)))
        subprocess.run([compiler, "-c", source, "-o", build / output], check=True)
        if named:
            entries.append({"directory": work, "file": str(source), "command": f"c++ -o {output} -c {source}"})
        (build / "compile_commands.json").write_text(json.dumps(entries))

    def run(*more):
        done = subprocess.run([sys.executable, script, build, "--budget", budget, *more], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    add_object("one", 3)
    add_object("gone", 50, named=False)
    budget.write_text('{"src/one": 3}')
    code, said = run()
    check(code == 0 and "3          3  src/one" in said and "gone" not in said, said)

    budget.write_text('{"src/one": 2}')
    code, said = run()
    check(code == 1 and "src/one  <- too many" in said and "Over budget: src/one." in said, said)

    add_object("two", 1)
    budget.write_text('{"src/one": 3}')
    code, said = run()
    check(code == 1 and "Over budget: src/two." in said, said)

    code, said = run("--write")
    check(code == 0 and json.loads(budget.read_text()) == {"src/one": 100, "src/two": 100}, said)
