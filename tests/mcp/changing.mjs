// Servers of the official SDKs (v1 and v2) whose tools change while a session of `wright run` goes on:
//
//   node changing.mjs WRIGHT tests/serving/wright.mjs
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { Home, model } = await import(process.argv[3]);

const kit = {
  v1: `
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const serve = make => make().connect(new StdioServerTransport());`,
  v2: `
const { McpServer } = require('@modelcontextprotocol/server');
const { serveStdio } = require('@modelcontextprotocol/server/stdio');
const serve = make => serveStdio(make);`,
};
// "grow" brings "later", and takes "early" away; the note says what was done.
const server = version => `
import { createRequire } from 'node:module';
import { appendFileSync } from 'node:fs';
const require = createRequire(${JSON.stringify(resolve('from-here.js'))});
${kit[version]}
const done = name => async () => {
  appendFileSync(process.env.ACTS, name + '\\n');
  return { content: [{ type: 'text', text: name + ' is done' }] };
};
await serve(() => {
  const server = new McpServer({ name: 'changing', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  const early = server.registerTool('early', { description: 'Is there at first' }, done('early'));
  server.registerTool('grow', { description: 'Changes' }, async () => {
    early.remove();
    server.registerTool('later', { description: 'Is there later' }, done('later'));
    return done('grow')();
  });
  return server;
});`;

for (const version of ['v1', 'v2']) {
  const home = new Home();
  const acts = join(home.folder, 'acts');
  writeFileSync(join(home.folder, 'server.mjs'), server(version));
  const told = [];
  const wanted = ['s__early', 's__grow', 's__later', 's__early'];
  const fake = await model(messages => {
    const last = messages.at(-1);
    if (last.role === 'tool') told.push(last.content);
    return wanted.length > 0 ? { calls: [[wanted.shift(), {}]] } : 'it is over';
  });
  home.agents(fake.url, { caller: 'instructions = "You call."\nmodel = "fake:m"\ntools = ["grep"]\n' },
    `[mcp.servers.s]\ncommand = "${process.execPath}"\nargs = ["${join(home.folder, 'server.mjs')}"]\n` +
    `env = { ACTS = "${acts}" }\n`);
  const { stdout, stderr } = await home.run(['run', 'caller', 'Go', '-q']);
  assert.match(stdout, /it is over/, `${version}: ${stdout}${stderr}`);
  assert.deepEqual(told.slice(0, 3), ['early is done', 'grow is done', 'later is done'], `${version}: ${told}`);
  assert.match(told[3], /no longer has s__early/, version);
  assert.ok(existsSync(acts));
  assert.equal(readFileSync(acts, 'utf8'), 'early\ngrow\nlater\n', `${version}: nothing else happened`);
  fake.server.close();
  fake.server.closeAllConnections();
  home.remove();
}
console.log('tools come and go');
