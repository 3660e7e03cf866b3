// What happened when: rows with bars on a time axis. Only rows that are on the screen are drawn, time
// in which nothing happens is folded, and the axis can be zoomed with keys, wheel, mouse or buttons.
import { duration, element } from './platform.js';

const kRow = 24;
const kLongestGap = 1500;  // milliseconds that an idle stretch takes on the axis at most
/** @type {Record<string, string>} */
const kWords = { model: 'model', tool: 'tool', child: 'specialist', wait: 'waits for a person' };

/** @typedef {import('./platform.js').SessionEvent} SessionEvent */
/** One bar. `to`: null while it goes on. `event` began it and `ended` ended it, as far as they are known.
 * @typedef {{ kind: string, label: string, from: number, to: number | null, state: string, session: number, depth: number,
 *   event: { data: any }, ended?: { data: any }, retries: SessionEvent[], child?: number }} Row */

// Rows from events: what models, tools and specialists began and ended, and what waited. Rows of a
// specialist follow the row that began it.
export class Rows {
  /** @type {Map<number, { depth: number, rows: Row[], isLoose?: boolean }>} */
  #sessions = new Map();
  /** @type {Map<string, Row>} */
  #open = new Map();

  /** @param {number} root */
  constructor(root) {
    this.root = root;
    this.first = Infinity;  // when the first event happened
    this.last = 0;  // the newest event that is in
    this.#sessions.set(root, { depth: 0, rows: [] });
  }

  /** @param {number} session */
  has(session) { return this.#sessions.has(session); }

  /** @param {SessionEvent} event */
  add(event) {
    this.last = event.sequence;
    const { session_id: session, data, at, type } = event;
    this.first = Math.min(this.first, at);
    const isOf = this.#session(session);
    /** @param {string} id */
    const key = (id) => `${session}/${id}`;
    /** @param {string} kind @param {string} label @param {string} id */
    const begin = (kind, label, id) => {
      /** @type {Row} */
      const row = { kind, label, from: at, to: null, state: 'running', session, depth: isOf.depth, event, retries: [] };
      this.#open.set(key(id), row);
      isOf.rows.push(row);
      return row;
    };
    /** @param {string} id @param {string} state */
    const end = (id, state) => {
      const row = this.#open.get(key(id));
      if (!row) return null;
      this.#open.delete(key(id));
      Object.assign(row, { to: at, state, ended: event });
      return row;
    };
    if (type === 'model_started') {
      begin('model', `model, turn ${data.iteration}`, 'model');
    } else if (type === 'model_ended') {
      end('model', 'completed');
    } else if (type === 'model_retried') {
      this.#open.get(key('model'))?.retries.push(event);
    } else if (type === 'session_started') {
      end('model', 'cancelled');  // another process goes on: its answer never came
    } else if (type === 'tool_started') {
      end(`wait ${data.call_id}`, 'completed');
      end(data.call_id, 'unknown');  // it is executed again
      begin('tool', data.name, data.call_id);
    } else if (type === 'tool_ended') {
      const row = end(data.call_id, data.status);
      if (data.status === 'waiting') begin('wait', data.name, `wait ${data.call_id}`);
      else if (end(`wait ${data.call_id}`, data.status) && row) row.ended = event;
    } else if (type === 'child_started') {
      const row = this.#open.get(key(data.call_id)) ?? begin('child', data.agent, data.call_id);
      Object.assign(row, { kind: 'child', label: data.agent, child: data.session_id });
      this.#sessions.set(data.session_id, { depth: isOf.depth + 1, rows: this.#sessions.get(data.session_id)?.rows ?? [] });
    } else if (type === 'run_ended') {
      for (const [name, row] of this.#open) {
        if (row.session !== session) continue;
        this.#open.delete(name);
        // What became of a call that never ended, nobody has said.
        const isDone = data.phase === 'done' && row.kind !== 'tool' && row.kind !== 'model';
        Object.assign(row, { to: at, state: isDone ? 'completed' : row.kind === 'tool' ? 'unknown' : 'cancelled' });
      }
    }
  }

  // Sessions that ran without a server have no events. What else is stored tells nearly the same: what
  // happened before the first event.
  /** @param {any[]} messages @param {any[]} calls @param {any[]} children */
  addStored(messages, calls, children) {
    /** @type {Row[]} */
    const rows = [];
    /** @param {Omit<Row, 'session' | 'depth' | 'retries'> & { session?: number }} row */
    const add = (row) => {
      if (row.from < this.first) rows.push({ session: this.root, depth: 0, retries: [], ...row });
    };
    let turn = 0;
    let before = messages[0]?.created_at;
    for (const { role, text, created_at: at } of messages) {
      if (role === 'assistant') {
        add({ kind: 'model', label: `model, turn ${++turn}`, from: before, to: at, state: 'completed',
          event: { data: {} }, ended: { data: { text } } });
      }
      before = at;
    }
    for (const call of calls) {
      const { completed_at: to, execution_time_ms: took } = call;
      const isWaiting = call.status === 'waiting';
      add({ kind: isWaiting ? 'wait' : 'tool', label: call.tool, to, state: call.status === 'executing' ? 'running' : call.status,
        from: to !== null && took !== null ? to - took : call.created_at,
        event: { data: { call_id: call.call_id, arguments: call.arguments } }, ended: { data: { duration_ms: took } } });
    }
    for (const child of children) {
      add({ kind: 'child', label: child.agent, from: child.started_at, to: child.ended_at, state: child.status,
        session: child.id, event: { data: {} }, ended: { data: { content: child.result } } });
    }
    rows.sort((a, b) => a.from - b.from);
    const isOf = this.#session(this.root);
    isOf.rows = rows.concat(isOf.rows);
  }

  /** @param {number} id */
  #session(id) {
    // One that nobody announced stands at the end.
    const found = this.#sessions.get(id) ?? { depth: 1, rows: [], isLoose: true };
    this.#sessions.set(id, found);
    return found;
  }

  inOrder() {
    /** @type {Row[]} */
    const list = [];
    /** @param {number} id */
    const walk = (id) => {
      for (const row of this.#sessions.get(id)?.rows ?? []) {
        list.push(row);
        if (row.child) walk(row.child);
      }
    };
    walk(this.root);
    for (const [id, { isLoose }] of this.#sessions) if (isLoose) walk(id);
    return list;
  }
}

// Between the clock and the axis: stretches in which nothing is done are folded.
class Scale {
  /** @param {Row[]} rows @param {number} now */
  constructor(rows, now) {
    const busy = rows.filter((row) => row.kind !== 'wait').map((row) => [row.from, row.to ?? now])
      .sort((a, b) => a[0] - b[0]);
    const ends = rows.map((row) => row.to ?? now);
    this.begin = busy[0]?.[0] ?? now;
    /** @type {number[][]} */
    this.points = [];  // [time, place], both rising
    /** @type {{ at: number, length: number, time: number }[]} */
    this.gaps = [];
    let place = 0;
    let until = this.begin;
    this.points.push([until, 0]);
    /** @param {number} time @param {number} length */
    const go = (time, length) => {
      place += length;
      until = time;
      this.points.push([time, place]);
    };
    for (const [from, to] of busy) {
      const gap = from - until;
      if (gap > kLongestGap) {
        this.gaps.push({ at: place, length: kLongestGap, time: gap });
        go(from, kLongestGap);
      } else if (gap > 0) go(from, gap);
      if (to > until) go(to, to - until);
    }
    const last = ends.reduce((a, b) => Math.max(a, b), until);  // a wait may be the last
    if (last > until) {
      if (last - until > kLongestGap) this.gaps.push({ at: place, length: kLongestGap, time: last - until });
      go(last, Math.min(last - until, kLongestGap));
    }
    this.whole = Math.max(place, 1);
  }

  /** @param {number} value @param {number} from @param {number} to */
  #between(value, from, to) {
    let low = 0;
    let high = this.points.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.points[middle][from] <= value) low = middle;
      else high = middle;
    }
    const a = this.points[low];
    const b = this.points[high] ?? a;
    const share = b[from] === a[from] ? 0 : Math.min(1, Math.max(0, (value - a[from]) / (b[from] - a[from])));
    return a[to] + share * (b[to] - a[to]);
  }

  /** @param {number} time */
  place(time) { return this.#between(time, 0, 1); }
  /** @param {number} place */
  time(place) { return this.#between(place, 1, 0); }
}

const kSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000,
  600000, 1800000, 3600000, 7200000, 21600000, 86400000];

export class Timeline {
  /** @type {Row[]} */
  #rows = [];
  #scale = new Scale([], 0);
  #from = 0;
  /** @type {number | null} */
  #to = null;  // null: all of it, also what is still to come
  #chosen = -1;
  #now = 0;

  /** @param {(row: Row) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.axis = element('div', { class: 'tl-axis', 'aria-hidden': 'true' });
    this.body = element('div', { class: 'tl-space', role: 'presentation' });
    this.scroll = element('div', { class: 'tl-scroll', role: 'listbox', tabindex: '0', 'aria-label': 'Timeline',
      onscroll: () => this.#draw(), onkeydown: (event) => this.#key(event) }, this.body);
    this.range = element('span', { class: 'dim tl-range' });
    const button = (word, label, work) => element('button', { type: 'button', 'aria-label': label, title: label,
      onclick: work }, word);
    const legend = Object.entries(kWords).map(([kind, word]) => element('span', { class: 'tl-legend' },
      element('i', { class: kind }), word));
    this.element = element('div', { class: 'timeline' }, element('div', { class: 'row tl-tools' },
      button('+', 'Nearer', () => this.#zoom(0.5)), button('−', 'Farther', () => this.#zoom(2)),
      button('All', 'All of it', () => this.#all()), this.range, element('span', { class: 'grow' }), legend),
    this.axis, this.scroll);
    this.element.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      this.#zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, this.#placeAt(event.clientX));
    }, { passive: false });
    this.#brush();
    this.watch = new ResizeObserver(() => this.#draw());
    this.watch.observe(this.scroll);
  }

  show(rows, now = Date.now()) {
    const wasAtEnd = this.scroll.scrollTop + this.scroll.clientHeight >= this.scroll.scrollHeight - kRow;
    const chosen = this.#rows[this.#chosen];
    this.#rows = rows;
    this.#now = now;
    this.#chosen = chosen ? rows.indexOf(chosen) : -1;
    this.#scale = new Scale(rows, now);
    this.body.style.height = `${Math.max(rows.length, 1) * kRow}px`;
    if (wasAtEnd && rows.some((row) => row.to === null)) this.scroll.scrollTop = this.scroll.scrollHeight;
    this.#draw();
  }

  #end() { return this.#to ?? this.#scale.whole; }
  #all() {
    this.#from = 0;
    this.#to = null;
    this.#draw();
  }

  #zoom(factor, around = (this.#from + this.#end()) / 2) {
    const length = Math.max(1, (this.#end() - this.#from) * factor);
    const share = (around - this.#from) / Math.max(1e-9, this.#end() - this.#from);
    this.#look(around - share * length, length);
  }

  #look(from, length) {
    if (length >= this.#scale.whole) return this.#all();
    this.#from = Math.min(Math.max(0, from), this.#scale.whole - length);
    this.#to = this.#from + length;
    return this.#draw();
  }

  #plot() { return (this.axis.querySelector('.tl-plot') ?? this.axis).getBoundingClientRect(); }
  #placeAt(x) {
    const { left, width } = this.#plot();
    return this.#from + Math.min(1, Math.max(0, (x - left) / width)) * (this.#end() - this.#from);
  }

  // Drag over the axis: look at that stretch.
  #brush() {
    this.axis.addEventListener('pointerdown', (event) => {
      this.axis.setPointerCapture(event.pointerId);
      const begin = event.clientX;
      const from = this.#placeAt(begin);
      const mark = element('div', { class: 'tl-brush' });
      this.axis.append(mark);
      const move = (moved) => {
        const { left } = this.axis.getBoundingClientRect();
        mark.style.left = `${Math.min(begin, moved.clientX) - left}px`;
        mark.style.width = `${Math.abs(moved.clientX - begin)}px`;
      };
      const up = (ended) => {
        this.axis.removeEventListener('pointermove', move);
        mark.remove();
        const to = this.#placeAt(ended.clientX);
        if (Math.abs(ended.clientX - begin) > 5) this.#look(Math.min(from, to), Math.abs(to - from));
      };
      this.axis.addEventListener('pointermove', move);
      this.axis.addEventListener('pointerup', up, { once: true });
    });
    this.axis.addEventListener('dblclick', () => this.#all());
  }

  #key(event) {
    const length = this.#end() - this.#from;
    const keys = {
      '+': () => this.#zoom(0.5), '=': () => this.#zoom(0.5), '-': () => this.#zoom(2), 0: () => this.#all(),
      ArrowLeft: () => this.#look(this.#from - length / 4, length),
      ArrowRight: () => this.#look(this.#from + length / 4, length),
      ArrowDown: () => this.#select(this.#chosen + 1), ArrowUp: () => this.#select(this.#chosen - 1),
      Home: () => this.#select(0), End: () => this.#select(this.#rows.length - 1),
      Enter: () => this.#select(this.#chosen),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  #select(index) {
    if (!this.#rows.length) return;
    this.#chosen = Math.max(0, Math.min(this.#rows.length - 1, index));
    const top = this.#chosen * kRow;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop) this.scroll.scrollTop = top;
    else if (top + kRow > scrollTop + clientHeight) this.scroll.scrollTop = top + kRow - clientHeight;
    this.#draw();
    this.choose(this.#rows[this.#chosen]);
  }

  #percent(place) { return ((place - this.#from) / Math.max(1e-9, this.#end() - this.#from)) * 100; }

  #row(row, index) {
    const left = this.#percent(this.#scale.place(row.from));
    const right = this.#percent(this.#scale.place(row.to ?? this.#now));
    const took = duration((row.to ?? this.#now) - row.from);
    const word = { failed: '✗ failed', running: '▸ running', cancelled: '⊘ cancelled',
      unknown: '? nobody knows what became of it' }[row.state] ?? '';
    const bar = element('div', { class: `tl-bar ${row.kind} ${row.state}` });
    const plot = element('div', { class: 'tl-plot' }, bar);
    if (right < 0 || left > 100) bar.hidden = true;
    bar.style.left = `min(${Math.max(0, left)}%, 100% - 3px)`;
    bar.style.width = `${Math.min(100, right) - Math.max(0, left)}%`;
    const time = element('span', { class: 'tl-time' }, `${took} ${word}`);
    if (right > 70) {
      time.classList.add('before');
      time.style.right = `${100 - Math.max(0, left)}%`;
      if (left < 30) {  // over the bar itself
        time.classList.add('inside');
        time.style.right = `${Math.max(0, 100 - right)}%`;
      }
    } else time.style.left = `${Math.max(0, right)}%`;
    plot.append(time);
    const label = element('span', { class: 'tl-label' }, row.label);
    label.style.paddingLeft = `${4 + row.depth * 12}px`;
    const made = element('div', { class: 'tl-row', role: 'option', id: `tl-${index}`,
      'aria-selected': String(index === this.#chosen), 'aria-setsize': String(this.#rows.length),
      'aria-posinset': String(index + 1), title: row.label, onclick: () => this.#select(index) }, label, plot,
    element('span', { class: 'spoken' }, `${kWords[row.kind]}, ${row.state}`));
    made.style.top = `${index * kRow}px`;
    return made;
  }

  #drawAxis() {
    const length = this.#end() - this.#from;
    const isNarrow = this.#plot().width < 450;
    const most = isNarrow ? 3 : 8;  // ticks
    const step = kSteps.find((each) => length / each <= most) ?? 86400000 * Math.ceil(length / most / 86400000);
    const plot = element('div', { class: 'tl-plot' });
    for (const gap of this.#scale.gaps) {
      const left = this.#percent(gap.at);
      const width = this.#percent(gap.at + gap.length) - left;
      if (left > 100 || left + width < 0) continue;
      const mark = element('div', { class: 'tl-gap', title: `Nothing for ${duration(gap.time)}` },
        width > 6 ? `⋯ ${duration(gap.time)}` : '⋯');
      mark.style.left = `${Math.max(0, left)}%`;
      mark.style.width = `${Math.min(100, left + width) - Math.max(0, left)}%`;
      plot.append(mark);
    }
    for (let at = Math.ceil(this.#from / step) * step; at <= this.#end(); at += step) {
      if (this.#scale.gaps.some((gap) => at > gap.at && at < gap.at + gap.length)) continue;
      const tick = element('span', { class: 'tl-tick' }, at === 0 ? '0' : duration(this.#scale.time(at) - this.#scale.begin));
      tick.style.left = `${this.#percent(at)}%`;
      if (this.#percent(at) < (isNarrow ? 82 : 93)) plot.append(tick);
    }
    this.axis.replaceChildren(element('span', { class: 'tl-label' }, `${this.#rows.length} steps`), plot);
    this.range.textContent = this.#to === null ? '' : `${duration(this.#scale.time(this.#from) - this.#scale.begin)} – `
      + `${duration(this.#scale.time(this.#to) - this.#scale.begin)}`;
  }

  #draw() {
    this.#drawAxis();
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / kRow) - 5);
    const last = Math.min(this.#rows.length, first + Math.ceil((this.scroll.clientHeight || 400) / kRow) + 10);
    const made = [];
    for (let i = first; i < last; ++i) made.push(this.#row(this.#rows[i], i));
    this.body.replaceChildren(...made);
    if (this.#chosen >= first && this.#chosen < last) {
      this.scroll.setAttribute('aria-activedescendant', `tl-${this.#chosen}`);
    } else this.scroll.removeAttribute('aria-activedescendant');
  }
}
