// `wright mcp serve`, held against the official SDKs as clients: node clients.mjs WRIGHT
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-mcp-'));
writeFileSync(join(home, 'hello.txt'), 'a needle in a small file\n');
const env = { HOME: home, PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'),
              XDG_DATA_HOME: join(home, 'data') };
const server = (...more) => ({ command: wright, env, cwd: home, stderr: 'inherit',
                               args: ['mcp', 'serve', '--model', 'offline', ...more] });

async function uses(client, name) {
  const { tools } = await client.listTools();
  assert.ok(tools.some(tool => tool.name === 'grep'), `${name}: grep is offered`);
  assert.ok(tools.some(tool => tool.name === 'ask_codebase_analysis'), `${name}: agents are offered`);
  assert.ok(!tools.some(tool => ['write_file', 'bash', 'ask_user'].includes(tool.name)),
            `${name}: what writes or asks is not`);
  const found = await client.callTool({ name: 'grep', arguments: { pattern: 'needle' } });
  assert.match(found.content[0].text, /hello\.txt/, `${name}: a tool answers`);
  const wrong = await client.callTool({ name: 'grep', arguments: { patern: 'x' } });
  assert.equal(wrong.isError, true, `${name}: wrong arguments are told`);
  const steps = [];
  const answer = await client.callTool(
    { name: 'ask_codebase_analysis', arguments: { prompt: 'Which files are in this folder?' } },
    ...(name === 'v1' ? [undefined] : []), { onprogress: step => steps.push(step) });
  assert.ok(!answer.isError && answer.structuredContent.session_id > 0, `${name}: an agent answers`);
  assert.ok(steps.length > 0, `${name}: and tells how far it is`);
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.length > 0, `${name}: prompts are offered`);
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0, `${name}: sessions are resources`);
  const read = await client.readResource({ uri: resources[0].uri });
  assert.match(read.contents[0].text, /Session/, `${name}: and can be read`);
  await assert.rejects(client.readResource({ uri: 'wright://sessions/99999' }));
  await assert.rejects(client.callTool({ name: 'nobody', arguments: {} }));
}

// An agent as a task of 2025-11-25, as the SDK follows one.
async function usesTasks(client) {
  const call = { name: 'ask_codebase_analysis', arguments: { prompt: 'Which files are in this folder?' } };
  const told = [];
  for await (const each of client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60000 } })) told.push(each);
  assert.equal(told[0].type, 'taskCreated', JSON.stringify(told));
  const result = told.at(-1);
  assert.equal(result.type, 'result', JSON.stringify(told));
  assert.ok(result.result.content[0].text.length > 0 && result.result.structuredContent.session_id > 0);
  const { taskId } = told[0].task;
  assert.equal((await client.experimental.tasks.getTask(taskId)).status, 'completed');
  await assert.rejects(client.experimental.tasks.cancelTask(taskId), 'it has ended');
  await assert.rejects(client.experimental.tasks.getTask('somebody-elses'));
}

try {
  const old = new ClientV1({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
  old.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { who: 'Ada' } }));
  await old.connect(new TransportV1(server('--sessions', '--tools', 'grep,ask_user')));
  const asked = await old.callTool({ name: 'ask_user', arguments: {
    questions: [{ id: 'who', question: 'Who?' }] } });
  assert.match(asked.content[0].text, /Ada/, 'v1: a question reaches the person');
  await old.close();

  const plain = new ClientV1({ name: 'v1', version: '1' });
  await plain.connect(new TransportV1(server('--sessions')));
  await uses(plain, 'v1');
  await usesTasks(plain);
  await plain.close();

  for (const mode of ['auto', 'legacy']) {
    const client = new v2.Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(server('--sessions')));
    assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
    await uses(client, `v2 ${mode}`);
    await client.close();
  }
  console.log('all clients are served');
} finally {
  rmSync(home, { recursive: true, force: true });
}
