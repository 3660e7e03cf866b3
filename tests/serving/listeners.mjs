// node listeners.mjs WRIGHT [COUNT]: many who listen and hear nothing for a long time. One event
// reaches all of them, nobody is cut, and when they have gone the server holds nothing of them.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { Home, Noticed, json, model } from './wright.mjs';

const wanted = Number(process.argv[3] ?? 1000);
// Each end takes a descriptor for each. Node raises its own limit as far as it may, and so does the server.
const allowed = Number(readFileSync('/proc/self/limits', 'utf8').match(/Max open files\s+(\d+)/)[1]);
if (allowed < wanted + 200) {
  console.log(`skipped: ${allowed} open files are allowed here`);
  process.exit(77);
}
const kAtATime = 200;  // connections that are being made
const home = new Home();
const noticed = new Noticed();
const llm = await model(() => 'heard');
home.agents(llm.url, { speaker: 'instructions = "You speak."\nmodel = "fake:m"\n' });

const listeners = new Set();
let open = 0;
let cut = 0;
let heard = 0;
class Listener {
  #text = '';
  #isOpen = false;
  #hears = null;
  constructor(url, token) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.setEncoding('utf8');
    this.socket.on('data', (piece) => this.#take(piece));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      if (listeners.has(this)) cut += 1;
      noticed.notice();
    });
    this.socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n`
      + 'Accept: text/event-stream\r\n\r\n');
    listeners.add(this);
  }
  hear(word) {
    this.#text = '';
    this.#hears = word;
  }
  #take(piece) {
    this.#text += piece;
    if (!this.#isOpen && this.#text.includes('\r\n\r\n')) {
      assert.match(this.#text, /^HTTP\/1\.1 200 /);
      this.#isOpen = true;
      open += 1;
      noticed.notice();
    }
    if (this.#hears && this.#text.includes(this.#hears)) {
      this.#hears = null;
      heard += 1;
      noticed.notice();
    }
  }
}

const server = await home.serve();
const field = (name) => Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(new RegExp(`${name}:\\s+(\\d+)`))[1]);
const descriptors = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
const none = () => cut > 0 && assert.fail(`${cut} were cut`);
const speak = async () => {
  const begun = await json(`${server.url}/api/v1/sessions`, { agent: 'speaker', prompt: 'Speak' });
  assert.equal(begun.status, 201);
  return begun.body.id;
};

try {
  const made = await home.run(['token', 'add', 'listeners', '--scope', 'read'], { config: [] });
  assert.equal(made.code, 0, made.stderr);
  const token = (made.stdout + made.stderr).match(/wright_\w{20,}/)[0];

  // What the server needs once, whoever listens, is there before it is measured.
  const first = new Listener(server.url, token);
  await noticed.until(() => open === 1);
  first.hear('run_ended');
  await speak();
  await noticed.until(() => heard === 1);
  const [memory, held] = [field('VmRSS'), descriptors()];

  while (listeners.size < wanted) {
    await noticed.until(() => none() || listeners.size - open < kAtATime);
    new Listener(server.url, token);
  }
  await noticed.until(() => none() || open === wanted);
  // Connections of requests that were made before may have been closed meanwhile.
  const more = descriptors() - held;
  assert.ok(Math.abs(more - (wanted - 1)) < 8, `${more} descriptors for ${wanted - 1}`);
  const each = (field('VmRSS') - memory) / (wanted - 1);
  console.log(`${wanted} listeners, ${each.toFixed(1)} KiB for each`);

  heard = 0;
  for (const listener of listeners) listener.hear('"run_ended"');
  const began = Date.now();
  const id = await speak();
  await noticed.until(() => none() || heard === wanted);
  console.log(`the end of session ${id} reached all of them ${Date.now() - began} ms after it was asked for`);
  assert.equal(cut, 0);

  for (const listener of listeners) {
    listeners.delete(listener);
    listener.socket.destroy();
  }
  // What the kernel tells the server takes its time.
  while (descriptors() > held) await new Promise((done) => setTimeout(done, 20));
  console.log(`afterwards ${descriptors()} descriptors are open; ${held} were before`);
  assert.equal((await json(`${server.url}/api/v1/sessions/${id}`)).body.status, 'completed');
  await server.endWell();
} finally {
  for (const listener of listeners) listener.socket.destroy();
  await server.stop('SIGKILL');
  llm.server.close();
  llm.server.closeAllConnections();
  home.remove();
}
