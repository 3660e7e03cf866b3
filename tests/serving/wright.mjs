// For the tests of this folder: the program with a home of its own, a model that says what a test
// tells it to, and a collector of traces.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const [binary] = process.argv.slice(2);

// An HTTP server on a free port; `answer(body, request)` gives [status, object].
export async function listening(answer) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [status, json] = await answer(body, request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

// Speaks as OpenAI does. `say(messages)` gives a text, or {calls: [[name, arguments], …]}.
export async function model(say) {
  const heads = [];
  const bodies = [];
  const made = await listening(async (body, request) => {
    heads.push(request.headers);
    bodies.push(body.toString());
    const said = await say(JSON.parse(body).messages);
    const calls = said.calls?.map(([name, args], i) => ({
      id: `call-${heads.length}-${i}`, type: 'function',
      function: { name, arguments: JSON.stringify(args) } }));
    const message = { role: 'assistant', content: calls ? null : said, tool_calls: calls };
    return [200, { id: 'x', object: 'chat.completion', created: 1, model: 'm-2026',
      choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } }];
  });
  return { ...made, heads, bodies };
}

export class Home {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'wright-serving-'));
    this.config = join(this.folder, 'config.toml');
    this.env = { HOME: this.folder, PATH: process.env.PATH, LANG: 'C.UTF-8' };
    writeFileSync(join(this.folder, 'main.py'), 'def alpha_function():\n    return 42\n');
    writeFileSync(this.config, '');
  }
  // An agent, and a vendor "fake" that it asks.
  agents(url, files, more = '') {
    writeFileSync(this.config, `[vendors.fake]\nbase_url = "${url}/v1"\nkey_variables = ["FAKE_KEY"]\n${more}`);
    this.env.FAKE_KEY = 'key-of-the-test';
    const folder = join(this.folder, '.config/wright/agents');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.toml`), text);
  }
  run(words, { env = {}, input, config = ['-c', this.config] } = {}) {
    return new Promise((done) => {
      const child = execFile(binary, [...words, ...config], {
        cwd: this.folder, env: { ...this.env, ...env }, maxBuffer: 1 << 26,
      }, (error, stdout, stderr) => done({ code: error ? error.code : 0, stdout, stderr }));
      child.stdin.end(input ?? '');
    });
  }
  // A server, when it listens.
  async serve(words = [], env = {}) {
    const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '-c', this.config, ...words], {
      cwd: this.folder, env: { ...this.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    const exited = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
    let text = '';
    child.stderr.setEncoding('utf8');
    const url = await new Promise((done, fail) => {
      child.stderr.on('data', (piece) => {
        text += piece;
        const found = text.match(/Listening on (http:\S+)/);
        if (found) done(found[1]);
      });
      exited.then((code) => fail(new Error(`it ended with ${code}: ${text}`)));
    });
    return { url, child, exited, said: () => text,
      stop: (signal = 'SIGTERM') => { child.kill(signal); return exited; },
      endWell: async () => {
        child.kill('SIGTERM');
        assert.equal(await exited, 0, text);
      } };
  }
  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// Waits until `found()` gives something; `changed` is a promise maker that says when to look again.
export class Noticed {
  #waiting = [];
  notice() {
    for (const wake of this.#waiting.splice(0)) wake();
  }
  async until(found) {
    for (;;) {
      const value = found();
      if (value) return value;
      await new Promise((done) => this.#waiting.push(done));
    }
  }
}

// A connection that was kept for a server that is gone is found out by the first who uses it.
const fetchAnew = (url, options) => fetch(url, options).catch((error) => {
  if (error.cause?.code !== 'UND_ERR_SOCKET') throw error;
  return fetch(url, options);
});

export const json = async (url, body, headers = {}) => {
  const response = await fetchAnew(url, body === undefined ? { headers } : {
    method: 'POST', body: JSON.stringify(body), headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

// Server-sent events, from `after` on, until `enough(event)`.
export async function* events(url, after = 0) {
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', 'last-event-id': `${after}` } });
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = text.slice(0, end).split('\n').filter((line) => line.startsWith('data: '));
      text = text.slice(end + 2);
      if (data.length) yield JSON.parse(data.map((line) => line.slice(6)).join('\n'));
    }
  }
}
