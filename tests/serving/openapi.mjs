// node openapi.mjs WRIGHT: the OpenAPI document of the real server is linted, and every example in it
// is executed.
import assert from 'node:assert/strict';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Home, json, model } from './wright.mjs';

const home = new Home();
const llm = await model((messages) => messages.at(-1).role === 'tool' ? 'written'
  : { calls: [['write_file', { path: 'new.txt', content: 'x' }]] });
home.agents(llm.url, { writer: `instructions = "You write."
model = "fake:m"
tools = ["write_file"]
[permissions]
"write_file" = "ask"
` }, '[agent]\nwritable = ["."]\n');
const server = await home.serve();
const api = `${server.url}/api/v1`;

async function ended(id) {
  for (;;) {
    const { body } = await json(`${api}/sessions/${id}`);
    if (body.status !== 'running') return body;
  }
}
const begin = async (agent, prompt) =>
  ended((await json(`${api}/sessions`, { agent, prompt })).body.id);

try {
  const text = await (await fetch(`${api}/openapi.json`)).text();
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'operation-4xx-response': 'off' },  // `default` describes every error
  });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  assert.deepEqual(problems.map((each) => `${each.location[0]?.pointer} ${each.message}`), []);

  // What each of them needs to be there before.
  const done = () => begin('codebase-analysis', 'Where is alpha_function defined?').then((s) => s.id);
  const waiting = async () => {
    const session = await begin('writer', 'Write');
    assert.equal(session.status, 'waiting', JSON.stringify(session));
    return session.id;
  };
  const wait = async () => (await json(`${api}/sessions/${await waiting()}/waits`)).body.waits[0].id;
  const code = server.said().match(/#code=(\S+)/)[1];
  const ids = {
    'POST /api/v1/sessions/{id}/messages': done,
    'POST /api/v1/sessions/{id}/fork': done,
    'POST /api/v1/sessions/{id}/cancel': waiting,
    'POST /api/v1/sessions/{id}/resume': waiting,
    'POST /api/v1/waits/{id}/answer': wait,
  };
  const executed = [];
  for (const [path, methods] of Object.entries(JSON.parse(text).paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const example = operation.requestBody?.content['application/json'].example;
      if (example === undefined) continue;
      const id = ids[name] ? await ids[name]() : undefined;
      // Codes are good for once, and for one server.
      const body = path === '/api/v1/login' ? { code } : example;
      const answer = await json(`${server.url}${path.replace('{id}', id)}`, body);
      assert.ok(operation.responses[answer.status],
        `${name} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`);
      executed.push(name);
    }
  }
  assert.ok(executed.length >= 7, executed.join());
} finally {
  await server.endWell();
  llm.server.close();
  home.remove();
}
