// node binary.mjs WRIGHT: the vendors' programs against the real program with its offline model. Ends
// with 1 and a word on what is wrong.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [wright] = process.argv.slice(2);

// Takes webhooks: refuses the first, and keeps what the vendor-neutral library accepts.
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const told = [];
let refused = 0;
let tell = () => {};
const listener = createServer(async (request, response) => {
  const body = (await request.toArray()).join('');
  if (!refused++) return response.writeHead(503).end();
  try {
    told.push(new Webhook(secret).verify(body, request.headers));
  } catch (error) {
    told.push(error);
  }
  response.writeHead(204).end();
  return tell();
}).listen(0, '127.0.0.1');
await new Promise((done) => listener.once('listening', done));
const hook = `http://127.0.0.1:${listener.address().port}/hook`;

const folder = mkdtempSync(join(tmpdir(), 'wright-sdk-'));
writeFileSync(join(folder, 'main.py'), 'def alpha_function():\n    return 42\n');
const server = spawn(wright, ['serve', '--listen', '127.0.0.1:0', '--webhook', hook], {
  cwd: folder, env: { HOME: folder, PATH: process.env.PATH, WRIGHT_WEBHOOK_SECRET: secret }, stdio: ['ignore', 'inherit', 'pipe'] });
const ended = new Promise((done) => server.on('exit', done));

async function addressOf(stream) {
  let text = '';
  for await (const piece of stream) {
    text += piece;
    const found = text.match(/Listening on (http:\S+)/);
    if (found) return found[1];
  }
  throw new Error(`it does not listen: ${text}`);
}

async function check(url) {
  const model = 'codebase-analysis';
  const question = 'Where is alpha_function defined?';
  const messages = [{ role: 'user', content: question }];
  const isAnswer = (text) => assert.match(text, /main\.py/);

  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 });
  const models = [];
  for await (const each of openai.models.list()) models.push(each.id);
  assert.ok(models.includes(model), `${models}`);
  const whole = await openai.chat.completions.create({ model, messages });
  isAnswer(whole.choices[0].message.content);
  assert.ok(whole.usage.total_tokens > 0);
  isAnswer((await openai.chat.completions.stream({ model, messages }).finalChatCompletion())
    .choices[0].message.content);
  isAnswer((await openai.responses.stream({ model, input: question }).finalResponse()).output_text);

  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const anthropic = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
  isAnswer(await anthropic.messages.stream({ model, max_tokens: 1000, messages }).finalText());

  const { generateText } = await import('ai');
  const { createOpenAI } = await import('@ai-sdk/openai');
  isAnswer((await generateText({
    model: createOpenAI({ apiKey: 'any', baseURL: `${url}/v1` }).responses(model),
    prompt: question })).text);

  // Each of them was a session that anybody can look at.
  const { sessions } = await (await fetch(`${url}/api/v1/sessions`)).json();
  assert.equal(sessions.length, 5);
  assert.ok(sessions.every((session) => session.status === 'completed'));

  // Each end was told, the one that was refused as well.
  while (told.length < 5) await new Promise((done) => { tell = done; });
  assert.deepEqual(told.map((each) => each.data?.session_id ?? each).sort(), [1, 2, 3, 4, 5]);
  assert.ok(told.every((each) => each.type === 'session.ended' && each.data.phase === 'done'));
}

try {
  await check(await addressOf(server.stderr.setEncoding('utf8')));
} finally {
  server.kill('SIGTERM');
  server.stderr.resume();
  listener.close();
  const code = await ended;
  rmSync(folder, { recursive: true, force: true });
  assert.equal(code, 0, 'it ends with 0 when it is told to');
}
