// What the views share: elements, requests, events, words. Everything that a model, a tool or a
// person wrote becomes text, never markup.

/** @param {string} name @param {Record<string, any>} [attributes] @param {...any} children */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== 'string') made[key] = value;
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const kSvg = 'http://www.w3.org/2000/svg';
/** @param {string} name @param {Record<string, any>} attributes @param {...any} children */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

const token = () => sessionStorage.getItem('token');

// The one-time code stands behind '#', which no browser sends anywhere.
export async function logIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return;
  history.replaceState(null, '', '#/sessions');
  const response = await fetch('/api/v1/login', {
    method: 'POST', body: JSON.stringify({ code }) });
  if (response.ok) sessionStorage.setItem('token', (await response.json()).token);
}

/** @param {string} path @param {RequestInit} [options] */
async function send(path, options = {}) {
  const headers = new Headers(options.headers);
  if (token()) headers.set('Authorization', `Bearer ${token()}`);
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? `The server answers ${response.status}`);
}

/** @param {string} path */
export const get = async (path) => (await send(`/api/v1/${path}`)).json();
/** @param {string} path @param {any} body */
export async function post(path, body) {
  return (await send(`/api/v1/${path}`, { method: 'POST', body: JSON.stringify(body) })).json();
}

// One stream for the page: events of all sessions, from now on, and after a cut from where it was.
// Nothing is open while nobody looks.
export class Events extends EventTarget {
  #last = null;
  #running = null;

  start() {
    const turn = () => (document.hidden ? this.#stop() : this.#run());
    document.addEventListener('visibilitychange', turn);
    turn();
  }

  #stop() {
    this.#running?.abort();
    this.#running = null;
  }

  async #run() {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    while (!running.signal.aborted) {
      try {
        await this.#read(running.signal);
      } catch {
        if (running.signal.aborted) return;
        this.#tell('connection', 'not connected');
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  async #read(signal) {
    const headers = { Accept: 'text/event-stream' };
    if (this.#last !== null) headers['Last-Event-ID'] = String(this.#last);
    const response = await send('/api/v1/events', { headers, signal });
    this.#tell('connection', 'live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').find((line) => line.startsWith('data: '));
        if (!data) continue;
        const event = JSON.parse(data.slice(6));
        this.#last = event.sequence;
        this.#tell('event', event);
      }
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** @param {number | null} milliseconds */
export function duration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return '';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60000)} min ${Math.round((milliseconds % 60000) / 1000)} s`;
}

export const moment = (milliseconds) => (milliseconds
  ? element('time', { datetime: new Date(milliseconds).toISOString() },
    new Date(milliseconds).toLocaleString())
  : '');

const kMarks = { completed: '✓', failed: '✗', cancelled: '✗', waiting: '…', running: '▸', queued: '·',
  executing: '▸', pending: '·', unknown: '?' };
export const status = (word) => element('span', { class: `status ${word}` },
  `${kMarks[word] ?? ''} ${word}`);

// Long texts are cut until somebody wants them.
const kShown = 20000;
export function block(text) {
  const shown = typeof text === 'string' ? text : JSON.stringify(text, null, 2);
  const made = element('pre', {}, shown.slice(0, kShown));
  if (shown.length <= kShown) return made;
  const more = element('button', { type: 'button', onclick: () => {
    made.textContent = shown;
    more.remove();
  } }, `Show all ${shown.length} characters`);
  return element('div', {}, made, more);
}

export function diff(text) {
  const lines = text.split('\n').map((line) => element('span', {
    class: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined }, `${line}\n`));
  return element('pre', {}, lines);
}
