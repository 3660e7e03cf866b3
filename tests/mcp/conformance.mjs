// The official suite, held against our server: node conformance.mjs CONFORMANCE_SERVER [SCENARIO…]
// Prints a line for every scenario, and fails when one fails that is not known to.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const suite = resolve('node_modules/@modelcontextprotocol/conformance/dist/on_older_node.js');
const folder = mkdtempSync(join(tmpdir(), 'wright-conformance-'));
const server = spawn(process.argv[2], { stdio: ['pipe', 'pipe', 'inherit'] });
const url = await new Promise(done => server.stdout.once('data', data => done(String(data).trim())));
const wanted = process.argv.slice(3);
let failures = 0;
let passed = 0;
for (const each of wanted) {
  const [scenario, version] = each.split('@');
  const ran = spawnSync(process.execPath, [suite, 'server', '--url', url, '--scenario', scenario,
    '--spec-version', version], { cwd: folder, encoding: 'utf8', timeout: 60000 });
  if (ran.status === 0) { ++passed; continue; }
  ++failures;
  console.log(`FAILED ${each}\n${ran.stdout.slice(-3000)}${ran.stderr.slice(-1000)}`);
}
console.log(`${passed} of ${wanted.length} scenarios pass`);
server.stdin.end();
rmSync(folder, { recursive: true, force: true });
process.exit(failures === 0 ? 0 : 1);
