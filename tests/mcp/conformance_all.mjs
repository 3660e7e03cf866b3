// Every scenario of the official suite, held against our server and our client, in every revision that
// it has: node conformance_all.mjs CONFORMANCE_SERVER CONFORMANCE_CLIENT [server|client]
//
// Prints what passes, what is left out and why, and what fails, which nothing may.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [server, client, only] = process.argv.slice(2);
const suite = resolve('node_modules/@modelcontextprotocol/conformance/dist/on_older_node.js');
const folder = mkdtempSync(join(tmpdir(), 'wright-conformance-'));
const leftOut = [
  [/^sep-2640-/, 'the extension of skills: they are files of the project here'],
  [/^auth\/client-credentials|^auth\/enterprise|^auth\/dpop|^auth\/wif/, 'an extension of authorization for programs without a person'],
];
const sides = { server: [], client: [] };
let side;
for (const line of execFileSync(process.execPath, [suite, 'list'], { cwd: folder, encoding: 'utf8' }).split('\n')) {
  const heading = line.match(/^(Server|Client|Authorization server) scenarios/);
  if (heading) side = heading[1].toLowerCase();
  const found = line.match(/^ {2}- (\S+) \[([^\]]*)\]/);
  // What belongs to an extension names no revision: extensions are of the newest one.
  if (found && sides[side]) sides[side].push([found[1], found[2] === 'extension' ? ['2026-07-28'] : found[2].split(',')]);
}
const run = words => new Promise(done => {
  execFile(process.execPath, [suite, ...words], { cwd: folder, timeout: 120000, maxBuffer: 1 << 26 },
    (error, stdout, stderr) => done({ ok: !error, said: `${stdout.slice(-1500)}${stderr.slice(-500)}` }));
});

let failures = 0;
const ours = spawn(server, { stdio: ['pipe', 'pipe', 'inherit'] });
const url = await new Promise(done => ours.stdout.once('data', data => done(String(data).trim())));
for (const [name, scenarios] of Object.entries(sides)) {
  if (only && only !== name) continue;
  const counts = new Map();
  const skipped = [];
  for (const [scenario, versions] of scenarios) {
    const why = leftOut.find(([pattern]) => pattern.test(scenario))?.[1];
    if (why) { skipped.push([scenario, why]); continue; }
    for (const version of versions) {
      const { ok, said } = await run(name === 'server'
        ? ['server', '--url', url, '--scenario', scenario, '--spec-version', version]
        : ['client', '--command', client, '--scenario', scenario, '--spec-version', version]);
      const count = counts.get(version) ?? { passed: 0, of: 0 };
      ++count.of;
      if (ok) ++count.passed;
      counts.set(version, count);
      if (!ok) { ++failures; console.log(`FAILED ${name} ${scenario}@${version}\n${said}`); }
    }
  }
  for (const [version, { passed, of }] of [...counts].sort()) console.log(`${name} ${version}: ${passed} of ${of}`);
  for (const [scenario, why] of skipped) console.log(`${name}, left out: ${scenario} (${why})`);
}
ours.stdin.end();
rmSync(folder, { recursive: true, force: true });
process.exit(failures === 0 ? 0 : 1);
