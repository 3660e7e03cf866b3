// node requests.mjs WRIGHT: what a vendor was sent can be shown afterwards, byte by byte, and no key
// is ever among it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home, json, model } from './wright.mjs';

const home = new Home();
const llm = await model((messages) => {
  if (messages.at(-1).content === 'twice') return { calls: [['weather', {}], ['weather', {}]] };
  return messages.at(-1).role === 'tool' ? 'found it' : { calls: [['grep', { pattern: 'alpha_function' }]] };
});
const agent = (words) => `instructions = "${words}"\nmodel = "fake:m"\ntools = ["grep"]\n`;
home.agents(llm.url, { seeker: agent('You seek.') });

const ended = async (url, id) => {
  for (;;) {
    const { body } = await json(`${url}/api/v1/sessions/${id}`);
    if (body.status !== 'running') return body;
    await new Promise((done) => setTimeout(done, 20));
  }
};
const fingerprints = async (url, id) => (await json(`${url}/api/v1/sessions/${id}/events`)).body.events
  .filter((event) => event.type === 'model_ended').map((event) => event.data.request);

try {
  let server = await home.serve();
  const { body: { id } } = await json(`${server.url}/api/v1/sessions`, { agent: 'seeker', prompt: 'Seek' });
  assert.equal((await ended(server.url, id)).status, 'completed');
  const sent = await fingerprints(server.url, id);
  assert.equal(sent.length, 2);
  assert.equal(llm.bodies.length, 2);
  for (const turn of [1, 2]) {
    const { body } = await json(`${server.url}/api/v1/sessions/${id}/turns/${turn}?sent=${sent[turn - 1]}`);
    assert.deepEqual(body.sent.notes, []);
    assert.equal(body.sent.is_exact, true);
    assert.equal(body.sent.body, llm.bodies[turn - 1], 'byte by byte');
    assert.equal(body.sent.url, `${llm.url}/v1/chat/completions`);
    assert.ok(!JSON.stringify(body).includes('key-of-the-test'));
  }

  // Two calls where one was wished for: the caller is told, and nothing waits for ever.
  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
  const refused = await json(`${server.url}/v1/chat/completions`, { model: 'seeker', tools: [tool],
    tool_choice: { type: 'function', function: { name: 'weather' } }, parallel_tool_calls: false,
    messages: [{ role: 'user', content: 'twice' }] });
  assert.equal(refused.status, 422, JSON.stringify(refused.body));
  for (let status = ''; status !== 'cancelled';) {
    await new Promise((done) => setTimeout(done, 50));
    ({ status } = (await json(`${server.url}/api/v1/sessions/${id + 1}`)).body);
  }
  await server.endWell();

  // Other instructions: a session keeps its own, and what was sent is still known.
  writeFileSync(join(home.folder, '.config/wright/agents/seeker.toml'), agent('You find.'));
  server = await home.serve();
  const changed = (await json(`${server.url}/api/v1/sessions/${id}/turns/1?sent=${sent[0]}`)).body.sent;
  assert.equal(changed.is_exact, true);
  await server.endWell();

  // The vendor wants it otherwise: what would be sent now is not what was sent, and is said not to be.
  home.agents(llm.url, {}, '[models."fake:m"]\nsystem_as_developer = true\n');
  server = await home.serve();
  const other = (await json(`${server.url}/api/v1/sessions/${id}/turns/1?sent=${sent[0]}`)).body.sent;
  assert.equal(other.is_exact, false);
  assert.match(other.notes.join(), /changed since/);
  assert.match(other.body, /"developer"/);
  await server.endWell();
} finally {
  llm.server.close();
  llm.server.closeAllConnections();
  home.remove();
}
