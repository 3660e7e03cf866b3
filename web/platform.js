// What the views share: elements, requests, events, words. Everything that a model, a tool or a
// person wrote becomes text, never markup.

// Characters that turn text around, or cannot be seen, would show something else than what is there.
// Those that join others stay: many scripts and pictures need them.
const kDeceptive =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]/gu;
/** @param {string} text */
export const visible = (text) => text.replace(kDeceptive,
  (c) => `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`);
const kReadByPeople = ['title', 'placeholder', 'aria-label'];  // attributes

/** What a place can hold: texts, elements, lists of both; what is absent is passed over.
 * @typedef {string | number | Node | null | undefined | false | Child[]} Child */
/** @template {ParentNode} Made @param {Made} made @param {Child[]} children @returns {Made} */
function addTo(made, children) {
  for (const child of /** @type {Exclude<Child, Child[]>[]} */ (children.flat(3))) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : visible(String(child)));
  }
  return made;
}

/** @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {Record<string, any>} [attributes]
 * @param {...Child} children @returns {HTMLElementTagNameMap[Name]} */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== 'string') Object.assign(made, { [key]: value });
    else if (kReadByPeople.includes(key)) made.setAttribute(key, visible(String(value)));
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  return addTo(made, children);
}

const kSvg = 'http://www.w3.org/2000/svg';
/** @template {keyof SVGElementTagNameMap} Name @param {Name} name @param {Record<string, string | number>} attributes
 * @param {...Child} children @returns {SVGElementTagNameMap[Name]} */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return addTo(made, children);
}

const token = () => sessionStorage.getItem('token');
/** @param {string} given */
export const useToken = (given) => sessionStorage.setItem('token', given);
export class NotAdmitted extends Error {}
/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

// The one-time code stands behind '#', which no browser sends anywhere.
export async function logIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return;
  history.replaceState(null, '', '#/sessions');
  const response = await fetch('/api/v1/login', {
    method: 'POST', body: JSON.stringify({ code }) });
  if (response.ok) useToken((await response.json()).token);
}

/** @param {string} path @param {RequestInit} [options] */
async function send(path, options = {}) {
  const headers = new Headers(options.headers);
  if (token()) headers.set('Authorization', `Bearer ${token()}`);
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const message = problem.detail ?? `The server answers ${response.status}`;
  throw response.status === 401 ? new NotAdmitted(message) : new Error(message);
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
  /** @type {number | null} */
  #last = null;
  /** @type {AbortController | null} */
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
      } catch (error) {
        if (running.signal.aborted) return;
        this.#tell('connection', error instanceof NotAdmitted ? '' : 'not connected');
        if (error instanceof NotAdmitted) return;
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'text/event-stream' };
    if (this.#last !== null) headers['Last-Event-ID'] = String(this.#last);
    const response = await send('/api/v1/events', { headers, signal });
    this.#tell('connection', 'live');
    if (!response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    /** @type {string[]} */
    let rest = [];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest.push(value);
      // A long event comes in many pieces: they are joined once.
      if (!value.includes('\n')) continue;
      const blocks = rest.join('').split('\n\n');
      rest = [blocks.pop() ?? ''];
      for (const text of blocks) {
        const data = text.split('\n').find((line) => line.startsWith('data: '));
        if (!data) continue;
        const event = JSON.parse(data.slice(6));
        this.#last = event.sequence;
        this.#tell('event', event);
      }
    }
  }

  /** @param {string} type @param {any} detail */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** What happened to a session, as it comes and as it is stored.
 * @typedef {{ sequence: number, session_id: number, at: number, type: string, data: any }} SessionEvent */
/** What an event of these carries: a SessionEvent, or a word about the connection. @param {Event} event */
export const detailOf = (event) => /** @type {CustomEvent} */ (event).detail;

// At most one call for many, soon.
/** @param {() => void} work */
export function soon(work, milliseconds = 200) {
  let timer = 0;
  const later = () => {
    timer ||= setTimeout(() => { timer = 0; work(); }, milliseconds);
  };
  later.stop = () => clearTimeout(timer);
  return later;
}

/** @param {Event} event */
export const isTyping = (event) => event.target instanceof Element
  && event.target.matches('input, textarea, select, dialog *');

/** @param {number | null | undefined} milliseconds */
export function duration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return '';
  if (milliseconds < 1) return '<1 ms';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
  return `${Math.round(seconds / 86400)} days`;
}

/** @param {number} number */
export function count(number) {
  if (number < 10000) return String(number);
  return number < 1e6 ? `${(number / 1e3).toFixed(number < 1e5 ? 1 : 0)}k` : `${(number / 1e6).toFixed(1)}M`;
}

/** @param {number | null | undefined} number */
export const dollars = (number) => (number ? `$${number < 1 ? number.toFixed(4) : number.toFixed(2)}` : '');

/** @param {number | null | undefined} milliseconds */
export function moment(milliseconds) {
  if (!milliseconds) return '';
  const at = new Date(milliseconds);
  const isToday = at.toDateString() === new Date().toDateString();
  return element('time', { datetime: at.toISOString(), title: at.toLocaleString() },
    isToday ? at.toLocaleTimeString() : at.toLocaleString(undefined, {
      month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }));
}

/** @type {Record<string, string>} */
const kMarks = { completed: '✓', failed: '✗', cancelled: '⊘', waiting: '…', running: '▸', queued: '·',
  executing: '▸', pending: '·', unknown: '?' };
/** @param {string} word */
export const status = (word) => element('span', { class: `status ${word}` },
  `${kMarks[word] ?? ''} ${word}`);

// Long texts are shown piece by piece, as far as somebody wants them.
const kFirst = 20000;
const kMore = 200000;
/** @param {unknown} text */
export function block(text) {
  const whole = typeof text === 'string' ? text : JSON.stringify(text, null, 2) ?? '';
  const made = element('pre', { tabindex: '0' }, whole.slice(0, kFirst));
  if (whole.length <= kFirst) return made;
  let shown = kFirst;
  const label = () => `Show more (${count(whole.length - shown)} characters are left)`;
  const more = element('button', { type: 'button', onclick: () => {
    made.append(visible(whole.slice(shown, shown + kMore)));
    shown += kMore;
    if (shown >= whole.length) more.remove();
    else more.textContent = label();
  } }, label());
  return element('div', {}, made, more);
}

// JSON in a text as it is easier to read.
/** @param {unknown} text */
export function readable(text) {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text) || text.length > 2e6) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

const kMostLines = 2000;
/** @param {string} text */
export function diff(text) {
  const lines = text.split('\n');
  /** @type {Child[]} */
  const rows = lines.slice(0, kMostLines).map((line) => element('span', {
    class: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed'
      : line.startsWith('@@') ? 'dim' : undefined }, `${line}\n`));
  if (lines.length > kMostLines) rows.push(`… ${lines.length - kMostLines} more lines\n`);
  return element('pre', { class: 'diff', tabindex: '0' }, rows);
}
