// Official servers, held against `wright mcp` and `wright chat`: node servers.mjs WRIGHT. Their tools are called in using.mjs.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-mcp-'));
const env = { HOME: home, PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'),
              XDG_DATA_HOME: join(home, 'data') };
const run = (...args) => execFileSync(wright, args, { env, cwd: home, encoding: 'utf8' });
const entry = name => resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

// With an argument it listens; otherwise it speaks with whoever started it.
const newest = `
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
const require = createRequire(${JSON.stringify(resolve('from-here.js'))});
const { McpServer, createMcpHandler } = require('@modelcontextprotocol/server');
const { serveStdio } = require('@modelcontextprotocol/server/stdio');
const { z } = require('zod');
const make = () => {
  const server = new McpServer({ name: 'newest', version: '2' });
  server.registerTool('double', { description: 'Doubles', inputSchema: z.object({ n: z.number() }) },
    async ({ n }) => ({ content: [{ type: 'text', text: String(2 * n) }] }));
  return server;
};
if (process.argv.length < 3) {
  await serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answer = await handler.fetch(new Request('http://' + request.headers.host + request.url, {
      method: request.method, headers: request.headers, body: body.length ? body : undefined }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const piece of answer.body) response.write(piece);
    response.end();
  }).listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/mcp'));
}`;
const serving = script => new Promise(done => {
  const server = spawn(process.execPath, [script, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  server.stdout.once('data', bytes => done({ server, url: String(bytes).trim() }));
});

try {
  const expected = { everything: 10, filesystem: 14, memory: 9, 'sequential-thinking': 1 };
  for (const [name, fewest] of Object.entries(expected)) {
    run('mcp', 'add', name, '--', process.execPath, entry(name), ...(name === 'filesystem' ? [home] : []));
    const found = JSON.parse(run('mcp', 'test', name, '--json'));
    assert.ok(found.tools.length >= fewest, `${name} has ${found.tools.length} tools`);
    assert.deepEqual(found.notes, [], `${name}: nothing is left out`);
    assert.ok(found.tools.every(tool => tool.name.startsWith(`${name}__`)));
    assert.ok(found.tools.every(tool => !(tool.effect === 'read' && tool.destructive)), name);
    if (name === 'filesystem') {
      const destructive = found.tools.filter(tool => tool.destructive).map(tool => tool.name);
      assert.ok(destructive.includes('filesystem__write_file') && !destructive.includes('filesystem__create_directory'),
                `what its hints say: ${destructive}`);
    }
  }
  // The official SDK of the newest revision (v2), in both of its eras, over both ways.
  writeFileSync(join(home, 'v2.mjs'), newest);
  const web = await serving(join(home, 'v2.mjs'));
  for (const [name, words] of [['pipe', ['--', process.execPath, join(home, 'v2.mjs')]], ['web', [web.url]]]) {
    run('mcp', 'add', name, ...words);
    const found = JSON.parse(run('mcp', 'test', name, '--json'));
    assert.equal(found.revision, '2026-07-28', name);
    assert.deepEqual(found.tools.map(tool => tool.name), [`${name}__double`], name);
    const before = readFileSync(join(home, 'config/wright/config.toml'), 'utf8');
    const section = new RegExp(`(\\[mcp\\.servers\\.${name}\\]\\n)`);
    assert.match(before, section);
    writeFileSync(join(home, 'config/wright/config.toml'), before.replace(section, '$1revision = "2025-11-25"\n'));
    assert.equal(JSON.parse(run('mcp', 'test', name, '--json')).revision, '2025-11-25', `${name}, as of old`);
    run('mcp', 'remove', name);
  }
  web.server.kill();
  // Prompts and resources in a chat: what the model answers does not matter, what it is told does.
  const chat = lines => execFileSync(wright, ['chat', '--model', 'offline', '--quiet'],
    { env, cwd: home, encoding: 'utf8', input: lines.join('\n') + '\n' });
  chat(['/everything:simple-prompt', 'Look at @everything:demo://resource/static/document/architecture.md now']);
  const told = JSON.parse(run('sessions', 'export', 'last', '--format', 'json'));
  const said = JSON.stringify(told);
  assert.match(said, /This is a simple prompt without arguments/, 'a prompt is said');
  assert.match(said, /everything:demo:\/\/resource\/static\/document\/architecture\.md:/, 'a resource goes along');
  assert.equal(JSON.parse(run('mcp', '--json')).length, 4);
  run('mcp', 'remove', 'memory');
  assert.equal(JSON.parse(run('mcp', '--json')).length, 3);
  console.log('all servers are understood');
} finally {
  rmSync(home, { recursive: true, force: true });
}
