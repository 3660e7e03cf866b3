// Official servers, held against `wright mcp test` and `wright tools call`: node servers.mjs WRIGHT
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-mcp-'));
const env = { HOME: home, PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'),
              XDG_DATA_HOME: join(home, 'data') };
const run = (...args) => execFileSync(wright, args, { env, cwd: home, encoding: 'utf8' });
const entry = name => resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

try {
  const expected = { everything: 10, filesystem: 14, memory: 9 };
  for (const [name, fewest] of Object.entries(expected)) {
    run('mcp', 'add', name, '--', process.execPath, entry(name), ...(name === 'filesystem' ? [home] : []));
    const found = JSON.parse(run('mcp', 'test', name, '--json'));
    assert.ok(found.tools.length >= fewest, `${name} has ${found.tools.length} tools`);
    assert.deepEqual(found.notes, [], `${name}: nothing is left out`);
    assert.ok(found.tools.every(tool => tool.name.startsWith(`${name}__`)));
  }
  assert.equal(JSON.parse(run('mcp', '--json')).length, 3);
  run('mcp', 'remove', 'memory');
  assert.equal(JSON.parse(run('mcp', '--json')).length, 2);
  console.log('all servers are understood');
} finally {
  rmSync(home, { recursive: true, force: true });
}
