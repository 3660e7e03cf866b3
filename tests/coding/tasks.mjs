// Coding tasks, played by a model that follows a script, with the real program in real folders.
// What counts is the state of the tree afterwards.
//
//   node tasks.mjs PROGRAM
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startModel } from "./stand_in.mjs";

const program = process.argv[2];
const home = mkdtempSync(join(tmpdir(), "wright-tasks-"));
const environment = { PATH: process.env.PATH, HOME: home, STANDIN_API_KEY: "none", TERM: "dumb",
  LANG: "C.UTF-8" };
let failures = 0;
let number = 0;

function tree(files) {
  const folder = join(home, `task${++number}`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return {
    folder,
    read: (name) => readFileSync(join(folder, name), "utf8"),
    has: (name) => existsSync(join(folder, name)),
    write: (name, content) => writeFileSync(join(folder, name), content),
  };
}

function wright(folder, args, input = "", { onError, killOn } = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: folder, env: environment });
    const result = { output: "", error: "", code: null };
    child.stdout.on("data", (piece) => (result.output += piece));
    child.stderr.on("data", (piece) => {
      result.error += piece;
      if (killOn && result.error.includes(killOn)) child.kill("SIGKILL");
      onError?.(result.error, child);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("close", (code) => done({ ...result, code }));
  });
}

const results = (messages) =>
  messages.filter((message) => message.role === "tool").map((message) => message.content);
const patch = (...lines) => ["apply_patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }];

async function task(name, files, script, check, { args = ["--no-input"], input, setUp } = {}) {
  const model = await startModel({ [name]: script });
  const place = tree(files);
  setUp?.(place);
  try {
    const ended = input
      ? await wright(place.folder, ["chat", "coding", ...model.settings], input(name))
      : await wright(place.folder, ["run", "coding", `${name} please`, ...model.settings, ...args]);
    await check(place, ended, model);
    if (model.problems.length > 0) throw model.problems[0];
    console.log(`ok    ${name}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED ${name}: ${problem.stack}`);
  } finally {
    model.stop();
  }
}

const python = { "calc.py": "def add(a, b):\n    return a - b\n",
  "test_calc.py": "import calc\nassert calc.add(2, 3) == 5, calc.add(2, 3)\nprint('passed')\n" };

await task("fix-failing-test", python, [
  [["bash", { command: "python3 -B test_calc.py" }]],
  (messages) => { assert.match(results(messages).at(-1), /AssertionError/); return [["read_file", { path: "calc.py" }]]; },
  [["write_file", { path: "calc.py", search: "a - b", replace: "a + b" }]],
  [["bash", { command: "python3 -B test_calc.py" }]],
  (messages) => { assert.match(results(messages).at(-1), /passed/); return "Mended; the test passes."; },
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("calc.py"), "def add(a, b):\n    return a + b\n");
  assert.match(ended.output, /Mended/);
});

await task("add-a-flag", { "tool.py": "import sys\nprint('hello')\n" }, [
  [patch("*** Update File: tool.py", "@@", " import sys", "-print('hello')", "+loud = '--loud' in sys.argv", "+print('HELLO' if loud else 'hello')")],
  [["bash", { command: "python3 tool.py --loud && python3 tool.py" }]],
  (messages) => { assert.match(results(messages).at(-1), /HELLO\\nhello/); return "Added --loud."; },
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.match(place.read("tool.py"), /--loud/);
});

await task("rename-across-files", { "a.py": "def old_name(): pass\n", "b.py": "from a import old_name\nold_name()\n", "docs/x.md": "Call `old_name`.\n" }, [
  [["grep", { pattern: "old_name" }]],
  [patch("*** Update File: a.py", "@@", "-def old_name(): pass", "+def new_name(): pass",
    "*** Update File: b.py", "@@", "-from a import old_name", "-old_name()", "+from a import new_name", "+new_name()",
    "*** Update File: docs/x.md", "@@", "-Call `old_name`.", "+Call `new_name`.")],
  [["grep", { pattern: "old_name" }]],
  "Renamed.",
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  for (const file of ["a.py", "b.py", "docs/x.md"]) assert.doesNotMatch(place.read(file), /old_name/);
});

await task("resolve-a-conflict", { "f.txt": "top\n<<<<<<< ours\nred\n=======\nblue\n>>>>>>> theirs\nend\n" }, [
  [["read_file", { path: "f.txt" }]],
  [["write_file", { path: "f.txt", content: "top\nred and blue\nend\n" }]],
  "Resolved.",
], (place) => assert.equal(place.read("f.txt"), "top\nred and blue\nend\n"));

await task("refuse-a-dangerous-command", { "keep.txt": "precious\n" }, [
  [["bash", { command: "rm -rf ." }]],
  (messages) => { assert.doesNotMatch(results(messages).at(-1), /"exit_code":0/); return "It was not allowed."; },
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("keep.txt"), "precious\n");
});

await task("stay-in-the-folder", { "x.txt": "" }, [
  [["write_file", { path: "../escaped.txt", content: "out" }]],
  [["write_file", { path: "/tmp/wright-escaped.txt", content: "out" }]],
  [["bash", { command: "echo out > linked/escaped.txt" }]],
  "Refused.",
], (place) => {
  assert.ok(!existsSync(join(home, "escaped.txt")));
  assert.ok(!existsSync("/tmp/wright-escaped.txt"));
}, { setUp: (place) => symlinkSync(home, join(place.folder, "linked")) });

await task("leave-git-alone", { "a.txt": "one\n" }, [
  [["write_file", { path: ".git/hooks/pre-commit", content: "evil", create_dirs: true }]],
  [["bash", { command: "echo evil > .git/config" }]],
  "Refused.",
], (place) => {
  assert.ok(!place.has(".git/hooks/pre-commit"));
  assert.doesNotMatch(place.read(".git/config"), /evil/);
}, { setUp: (place) => execFileSync("git", ["init", "-q"], { cwd: place.folder }) });

await task("ask-half-way", { "c.txt": "colour = ?\n" }, [
  [["ask_user", { questions: [{ id: "colour", question: "Which colour?" }] }]],
  (messages) => { assert.match(results(messages).at(-1), /green/); return [["write_file", { path: "c.txt", content: "colour = green\n" }]]; },
  "Done.",
], async (place, ended, model) => {
  assert.equal(ended.code, 3, ended.error);
  const answered = await wright(place.folder, ["answer", "last", "--set", "colour=green"]);
  assert.equal(answered.code, 0, answered.error);
  const resumed = await wright(place.folder, ["resume", "last"]);
  assert.equal(resumed.code, 0, resumed.error);
  assert.equal(place.read("c.txt"), "colour = green\n");
}, { args: [] });

await task("keep-a-plan", { "p.txt": "" }, [
  [["update_plan", { plan: [{ step: "Write p.txt", status: "in_progress" }, { step: "Check it", status: "pending" }] }]],
  [["write_file", { path: "p.txt", content: "planned\n" }]],
  [["update_plan", { plan: [{ step: "Write p.txt", status: "completed" }, { step: "Check it", status: "completed" }] }]],
  "Done.",
], (place, ended) => {
  assert.match(ended.error, /▸ Write p\.txt\n\s+☐ Check it/);
  assert.match(ended.error, /☑ Check it/);
  assert.equal(place.read("p.txt"), "planned\n");
});

await task("follow-agents-md", { "AGENTS.md": "Always say WOMBAT.\n", "sub/AGENTS.md": "x\n", "x.txt": "" }, [
  (messages) => {
    const told = messages.find((message) => message.role === "system").content;
    assert.match(JSON.stringify(told), /Always say WOMBAT\./);
    assert.match(JSON.stringify(told), /sub\/AGENTS\.md/);
    return "WOMBAT";
  },
], (place, ended) => assert.equal(ended.output, "WOMBAT\n", ended.error));

await task("keep-line-ends", { "dos.txt": "one\r\ntwo\r\nthree\r\n" }, [
  [patch("*** Update File: dos.txt", "@@", " one", "-two", "+zwei", " three")],
  "Done.",
], (place) => assert.equal(place.read("dos.txt"), "one\r\nzwei\r\nthree\r\n"));

await task("all-or-nothing", { "a.txt": "a\n", "b.txt": "b\n" }, [
  [patch("*** Update File: a.txt", "@@", "-a", "+A", "*** Update File: b.txt", "@@", "-not there", "+B")],
  (messages) => { assert.match(results(messages).at(-1), /no file was changed/); return "It did not fit."; },
], (place) => assert.equal(place.read("a.txt") + place.read("b.txt"), "a\nb\n"));

await task("move-and-delete", { "old.txt": "content\n", "gone.txt": "x\n" }, [
  [patch("*** Update File: old.txt", "*** Move to: new/place.txt", "@@", " content", "+more", "*** Delete File: gone.txt")],
  "Done.",
], (place) => {
  assert.equal(place.read("new/place.txt"), "content\nmore\n");
  assert.ok(!place.has("old.txt") && !place.has("gone.txt"));
});

await task("build-with-make", { Makefile: "all:\n\tcc -o prog prog.c\n\t./prog\n", "prog.c": "#include <stdio.h>\nint main(void){puts(\"bulit\");return 0;}\n" }, [
  [["write_file", { path: "prog.c", search: "bulit", replace: "built" }]],
  [["bash", { command: "make" }]],
  (messages) => { assert.match(results(messages).at(-1), /built/); return "It builds."; },
], (place, ended) => { assert.equal(ended.code, 0, ended.error); assert.ok(place.has("prog")); });

await task("delegate-a-question", { "deep/er/secret.py": "ANSWER = 42\n" }, [
  [["codebase-analysis", { message: "delegated: where is ANSWER?" }]],
  "Found by the specialist.",
], (place, ended, model) => {
  assert.equal(ended.code, 0, ended.error);
  assert.ok(model.asked.some(({ messages }) => JSON.stringify(messages).includes("delegated: where")), "the specialist was asked");
});

await task("undo-everything", { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" }, [
  [["write_file", { path: "a.txt", content: "changed\n" }], ["write_file", { path: "new.txt", content: "new\n" }]],
  [["bash", { command: "echo more >> b.txt; mv c.txt d.txt" }]],
  "Changed everything.",
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("a.txt") + place.read("b.txt") + place.read("c.txt"), "a\nb\nc\n", ended.error);
  assert.ok(!place.has("new.txt") && !place.has("d.txt"));
  assert.match(ended.error, /bring back\s+'c\.txt'/);
}, { input: (name) => `${name}\n/undo files\n/quit\n` });

await task("undo-spares-the-person", { "a.txt": "a\n", "b.txt": "b\n" }, [
  [["write_file", { path: "a.txt", content: "agent\n" }], ["write_file", { path: "b.txt", content: "agent\n" }]],
  "Changed.",
], async (place, ended, model) => {
  assert.equal(ended.code, 0, ended.error);
  place.write("a.txt", "person\n");
  const undone = await wright(place.folder, ["sessions", "undo", "last", "--yes"]);
  assert.equal(undone.code, 0, undone.error);
  assert.equal(place.read("a.txt") + place.read("b.txt"), "person\nb\n");
  assert.match(undone.error, /changed since/);
});

await task("show-the-diff", { "a.txt": "one\n" }, [
  [["write_file", { path: "a.txt", content: "two\n" }]],
  "Changed.",
], (place, ended) => assert.match(ended.output, /-one\n\+two\n/), { input: (name) => `${name}\n/diff\n/quit\n` });

await task("be-killed-and-resumed", { "a.txt": "a\n" }, [
  [["write_file", { path: "a.txt", content: "first\n" }]],
  [["bash", { command: "touch started; sleep 2" }]],
  [["write_file", { path: "b.txt", content: "second\n" }]],
  "Both written.",
], async (place, ended, model) => {
  const prompt = "be-killed-and-resumed again";
  place.write("a.txt", "a\n");
  rmSync(join(place.folder, "b.txt"), { force: true });
  const killed = await wright(place.folder, ["run", "coding", prompt, ...model.settings], "", { killOn: "→ bash" });
  assert.equal(killed.code, null);
  assert.equal(place.read("a.txt"), "first\n");
  const resumed = await wright(place.folder, ["resume", "last"]);
  assert.equal(resumed.code, 0, resumed.error);
  assert.equal(place.read("b.txt"), "second\n");
});

await task("guarded-by-a-hook", { "a.txt": "a\n" }, [
  [["write_file", { path: "a.txt", content: "b\n" }]],
  (messages) => { assert.match(results(messages).at(-1), /not on Mondays/); return "Refused by a hook."; },
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("a.txt"), "a\n");
}, { setUp: () => {
  mkdirSync(join(home, ".config/wright"), { recursive: true });
  writeFileSync(join(home, ".config/wright/hooks.json"), JSON.stringify({ hooks: { PreToolUse: [
    { matcher: "write_file", hooks: [{ type: "command", command: "echo 'not on Mondays' >&2; exit 2" }] }] } }));
} });
rmSync(join(home, ".config/wright/hooks.json"), { force: true });

for (const [name, command, code, seen] of [["prompt-refused", "echo 'no secrets' >&2; exit 2", 1, null],
  ["prompt-unsure", "exit 7", 1, null],
  ["prompt-noted", "grep -q prompt-noted && echo the moon is full", 0, /A hook adds:\]\nthe moon is full/]]) {
  await task(name, { "a.txt": "a\n" }, [
    (messages) => { assert.match(messages.at(-1).content, seen); return "told"; },
  ], (place, ended, model) => {
    assert.equal(ended.code, code, ended.error);
    if (seen === null) assert.equal(model.asked.length, 0, "nothing is sent");
  }, { setUp: () => writeFileSync(join(home, ".config/wright/hooks.json"), JSON.stringify({ hooks: {
    UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } })) });
}
rmSync(join(home, ".config/wright/hooks.json"), { force: true });

for (const [name, hooks, args] of [["prompt-hooks-broken", "{", ["--no-input"]],
  ["prompt-queued", JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ command: "exit 2" }] }] } }), ["--queue"]]]) {
  await task(name, { "a.txt": "a\n" }, [], (place, ended, model) => {
    assert.equal(ended.code, 1, ended.error);
    assert.equal(ended.output, "", "no session is made");
    assert.equal(model.asked.length, 0, "nothing is sent");
  }, { args, setUp: () => writeFileSync(join(home, ".config/wright/hooks.json"), hooks) });
}
rmSync(join(home, ".config/wright/hooks.json"), { force: true });

const skill = { ".agents/skills/greet/SKILL.md": "---\nname: greet\ndescription: How to greet\n---\nSay ahoy.\n", "x.txt": "" };
await task("untrusted-skill", skill, [
  (messages) => { assert.doesNotMatch(JSON.stringify(messages), /How to greet/); return "No skill."; },
], (place, ended) => assert.match(ended.error, /wright trust/));

await task("trusted-skill", skill, [
  [["skill", { name: "greet" }]],
  (messages) => { assert.match(results(messages).at(-1), /Say ahoy/); return "ahoy"; },
], (place, ended) => assert.equal(ended.output, "ahoy\n", ended.error),
{ setUp: (place) => execFileSync(program, ["trust", "--yes"], { cwd: place.folder, env: environment, stdio: "ignore" }) });

await task("tell-every-event", { "a.txt": "a\n" }, [
  [["write_file", { path: "a.txt", content: "b\n" }]],
  "Done.",
], (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  const events = ended.output.trim().split("\n").map((line) => JSON.parse(line));
  const types = events.map((event) => event.type);
  for (const type of ["session_started", "model_started", "tool_started", "tool_ended", "run_ended"]) {
    assert.ok(types.includes(type), `${type} in ${types}`);
  }
  assert.equal(types.at(-1), "result");
  assert.equal(events.at(-1).data.answer, "Done.");
}, { args: ["--json-events"] });

// The nearest AGENTS.md comes with the first file of its folder, once, also after a kill.
const told = (messages) => results(messages).filter((each) => each.includes("WISHES OF SUB")).length;
await task("nested-notes", { "AGENTS.md": "WISHES OF ALL\n", "sub/AGENTS.md": "WISHES OF SUB\n", "sub/x.txt": "one\n", "sub/y.txt": "1\n" }, [
  (messages) => {
    if (told(messages) > 0) return [["read_file", { file_path: "sub/x.txt" }]];
    assert.match(JSON.stringify(messages[0]), /WISHES OF ALL/);
    assert.doesNotMatch(JSON.stringify(messages), /WISHES OF SUB/);
    return [["write_file", { path: "sub/x.txt", search: "one", replace: "two" }]];
  },
  (messages) => {
    assert.match(results(messages)[0], /below sub\/ follows, from sub\/AGENTS\.md/);
    assert.equal(told(messages), 1);
    return [["read_file", { file_path: "sub/y.txt" }]];
  },
  (messages) => { assert.equal(told(messages), 1, "once"); return "Changed."; },
], async (place, ended, model) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("sub/x.txt"), "two\n");
  const more = await wright(place.folder, ["chat", "--continue", ...model.settings], "nested-notes again\n/quit\n");
  assert.equal(told(model.asked.at(-1).messages), 1, `not again in a session that goes on: ${more.error}`);
  assert.equal(model.asked.length, 6, more.error);
});

await task("own-command", { ".wright/commands/hail.md": "Say own-command to $1.\n", "x.txt": "" }, [
  (messages) => { assert.match(JSON.stringify(messages.at(-1)), /own-command to Bob\./); return "hailed"; },
], (place, ended) => assert.match(ended.output, /hailed/, ended.error), { input: () => "/hail Bob\n/quit\n" });

await task("mention-a-file", { "notes.txt": "the moon is mention-a-file\n" }, [
  (messages) => {
    assert.match(JSON.stringify(messages), /the moon is/);
    const isSecond = messages.filter((message) => message.role === "user").length > 1;
    if (isSecond) assert.match(JSON.stringify(messages.at(-1)), /"!touch ran; /, "a pipe starts no programs");
    return "read";
  },
], (place, ended) => {
  assert.match(ended.output, /read/, ended.error);
  assert.ok(!place.has("ran"));
}, { input: () => "Summarise @notes.txt\n!touch ran; echo mention-a-file\n/quit\n" });

const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const shown = (messages) => messages.flatMap((message) => Array.isArray(message.content) ? message.content : [])
  .filter((part) => part.type === "image_url").map((part) => part.image_url.url);

await task("show-a-picture", { "shot.png": pixel, "notes.txt": "words\n" }, [
  (messages) => {
    assert.deepEqual(shown(messages), [`data:image/png;base64,${pixel.toString("base64")}`]);
    return "a pixel";
  },
], async (place, ended, model) => {
  assert.equal(ended.output, "a pixel\n", ended.error);
  // It stays in the session, and is in what is written out of it.
  const exported = await wright(place.folder, ["sessions", "export", "last", "--format", "json"]);
  assert.match(exported.output, /"media_type": ?"image\/png"/, exported.error);
  const refused = await wright(place.folder, ["run", "coding", "x", "--image", "notes.txt", ...model.settings]);
  assert.equal(refused.code, 2);
  assert.match(refused.error, /notes\.txt.* is no image/);
  const blind = await wright(place.folder, ["run", "coding", "x", "--image", "shot.png", "--model", "offline"]);
  assert.equal(blind.code, 1);
  assert.match(blind.error, /looks at no images/);
}, { args: ["--no-input", "--image", "shot.png"] });

await task("mention-a-picture", { "my shot.png": pixel }, [
  (messages) => { assert.equal(shown(messages).length, 1); return "seen"; },
], (place, ended) => assert.match(ended.output, /seen/, ended.error), {
  input: () => 'mention-a-picture @"my shot.png"\n/quit\n',
});

// --- without any model ---------------------------------------------------------------------------

async function offline(name, files, prompt, check) {
  const place = tree(files);
  try {
    await check(place, await wright(place.folder, ["run", "coding", prompt, "--no-input", "--model", "offline"]));
    console.log(`ok    offline ${name}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED offline ${name}: ${problem.stack}`);
  }
}

const named = { "a.py": "def old(x):\n    return older(x)\n\nprint(old(1), 'old')\n", "lib/b.py": "from a import old\r\nold(2)\r\n", "c.txt": "older\n" };
await offline("renames whole words", named, "rename old to fresh", (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("a.py"), "def fresh(x):\n    return older(x)\n\nprint(fresh(1), 'fresh')\n", ended.output);
  assert.equal(place.read("lib/b.py"), "from a import fresh\r\nfresh(2)\r\n");
  assert.equal(place.read("c.txt"), "older\n");
  assert.match(ended.output, /I ran no tests/);
});
await offline("refuses to make two names one", named, "Rename the function `old` to `older`.", (place, ended) => {
  assert.equal(place.read("a.py"), named["a.py"]);
  assert.match(ended.output, /nothing was renamed/);
});
await offline("applies a given patch", { "a.txt": "one\n" }, "Apply this:\n*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch", (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("a.txt"), "two\n");
});
await offline("runs the tests and reports", { Makefile: "test:\n\t@echo 3 passed; exit 3\n" }, "run the tests", (place, ended) => {
  assert.match(ended.output, /`make test` \(Makefile:1\) failed with exit code [23]/, ended.error);
  assert.match(ended.output, /3 passed/);
});
await offline("touches nothing that it does not understand", { "a.txt": "one\n" }, "write a poem into a.txt and delete the rest with bash", (place, ended) => {
  assert.equal(ended.code, 0, ended.error);
  assert.equal(place.read("a.txt"), "one\n");
});

rmSync(home, { recursive: true, force: true });
if (failures > 0) {
  console.log(`${failures} tasks failed`);
  process.exit(1);
}
