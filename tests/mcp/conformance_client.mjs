// The official suite, held against our client: node conformance_client.mjs CONFORMANCE_CLIENT SCENARIO@VERSION…
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const suite = resolve('node_modules/@modelcontextprotocol/conformance/dist/on_older_node.js');
const folder = mkdtempSync(join(tmpdir(), 'wright-conformance-'));
const wanted = process.argv.slice(3);
let failures = 0;
for (const each of wanted) {
  const [scenario, version] = each.split('@');
  const ran = spawnSync(process.execPath, [suite, 'client', '--command', process.argv[2],
    '--scenario', scenario, '--spec-version', version], { cwd: folder, encoding: 'utf8', timeout: 60000 });
  if (ran.status === 0) continue;
  ++failures;
  console.log(`FAILED ${each}\n${ran.stdout.slice(-3000)}${ran.stderr.slice(-1500)}`);
}
console.log(`${wanted.length - failures} of ${wanted.length} scenarios pass`);
rmSync(folder, { recursive: true, force: true });
process.exit(failures === 0 ? 0 : 1);
