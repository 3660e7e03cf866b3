// One plot of figures over time: bars that stand on each other, or lines. It has an axis, a legend, a
// pointer that keys and the mouse move, and the same figures as a table.
import { count, element, svg } from './platform.js';

const kWidth = 520;
const kHeight = 150;
const kLeft = 48;
const kBottom = 18;
const kTop = kHeight - kBottom;
export const kColours = 8;  // classes s0 to s7 of the style; the last is that of the rest

/** @param {number} at @param {number} span */
function timeWord(at, span) {
  const date = new Date(at);
  return span <= 2 * 86400e3 ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
}

// The lowest round number that is not below.
/** @param {number} value */
function roundUp(value) {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((each) => each * unit >= value * 0.999999) ?? 10) * unit;
}

// Where values stand beside each other, from place to place: where there is none, a line would lie.
/** @param {(number | null | undefined)[]} values @returns {number[][]} */
export function runsOf(values) {
  /** @type {number[][]} */
  const runs = [];
  values.forEach((value, i) => {
    if (value === null || value === undefined) return;
    const last = runs.at(-1);
    if (last?.at(-1) === i - 1) last.push(i);
    else runs.push([i]);
  });
  return runs;
}

/** @typedef {{ name: string, kind: string, values: (number | null)[] }} Series */
export class Plot {
  #title;
  #form;
  #word;
  #frame = { since: 0, until: 1, step_ms: 1 };
  /** @type {Series[]} */
  #series = [];
  /** @type {number[]} */
  #times = [];
  #place = -1;  // where the pointer is; -1: nowhere
  #legend = element('span');
  #drawing = svg('svg', { class: 'plot', viewBox: `0 0 ${kWidth} ${kHeight}`, 'aria-hidden': 'true' });
  #pointer = svg('line', { class: 'pointer', y1: 0, y2: kTop, x1: -9, x2: -9 });
  #said = element('p', { class: 'readout dim' });
  #table = element('div', { class: 'scroll', tabindex: '0', role: 'region' });
  #details;

  // `form`: bars or lines. `word` makes a value a text.
  /** @param {string} title @param {{form?: string, word?: (value: number) => string}} [options] */
  constructor(title, { form = 'bars', word = count } = {}) {
    this.#title = title;
    this.#form = form;
    this.#word = word;
    // A slider is what screen readers move through with arrow keys.
    this.slider = element('div', { role: 'slider', tabindex: '0', 'aria-label': `${title} over time`,
      'aria-valuemin': '0', 'aria-valuenow': '0', onkeydown: (event) => this.#key(event),
      onpointermove: (event) => this.#follow(event), onblur: () => this.#point(-1),
      onpointerleave: () => this.#point(-1) }, this.#drawing);
    this.#table.setAttribute('aria-label', `${title} as a table`);
    this.#details = element('details', { ontoggle: () => this.#fillTable() },
      element('summary', { 'aria-label': `${title} as a table` }, 'As a table'), this.#table);
    this.element = element('figure', {}, element('figcaption', {}, title, ' ', this.#legend), this.slider, this.#said,
      this.#details);
  }

  /** @param {{since: number, until: number, step_ms: number}} frame @param {number[]} times @param {Series[]} series */
  show(frame, times, series) {
    this.#frame = frame;
    this.#times = times;
    this.#series = series;
    this.#legend.replaceChildren(...series.map(({ name, kind }) => element('span', { class: 'legend' },
      element('i', { class: kind }), name)));
    this.#draw();
    this.#point(Math.min(this.#place, times.length - 1));
    this.slider.setAttribute('aria-valuemax', String(Math.max(0, times.length - 1)));
    this.#fillTable();
  }

  /** @param {number} place */
  #x(place) {
    return kLeft + (place + 0.5) * ((kWidth - kLeft) / Math.max(1, this.#times.length));
  }

  #draw() {
    const isBars = this.#form === 'bars';
    /** @param {number} i */
    const at = (i) => this.#series.map(({ values }) => values[i] ?? 0);
    const most = roundUp(Math.max(0, ...this.#times.map((_, i) => (isBars
      ? at(i).reduce((a, b) => a + b, 0) : Math.max(0, ...at(i))))));
    /** @param {number} value */
    const y = (value) => kTop - (most ? value / most : 0) * (kTop - 8);
    const step = (kWidth - kLeft) / Math.max(1, this.#times.length);
    const marks = isBars ? this.#bars(step, y) : this.#lines(y);
    const span = this.#frame.until - this.#frame.since;
    const axis = [0, 0.5, 1].map((share) => svg('text', { x: kLeft + share * (kWidth - kLeft), y: kHeight - 4,
      'text-anchor': ['start', 'middle', 'end'][share * 2] }, timeWord(this.#frame.since + share * span, span)));
    const scale = most ? [most, most / 2, 0].map((value) => [
      svg('line', { class: 'grid', x1: kLeft, x2: kWidth, y1: y(value), y2: y(value) }),
      svg('text', { x: kLeft - 4, y: y(value) + 4, 'text-anchor': 'end' }, value ? this.#word(value) : '0')])
      : svg('text', { x: kWidth / 2, y: kHeight / 2, 'text-anchor': 'middle' }, 'Nothing in this time');
    this.#drawing.replaceChildren(...[scale, axis, marks, this.#pointer].flat(2));
  }

  /** @param {number} step @param {(value: number) => number} y */
  #bars(step, y) {
    /** @type {SVGElement[]} */
    const marks = [];
    this.#times.forEach((_, i) => {
      let below = 0;
      for (const { kind, values } of this.#series) {
        const value = values[i] ?? 0;
        if (!value) continue;
        marks.push(svg('rect', { class: kind, x: kLeft + i * step + 0.5, width: Math.max(1, step - 1),
          y: y(below + value), height: Math.max(1, y(below) - y(below + value)) }));
        below += value;
      }
    });
    return marks;
  }

  /** @param {(value: number) => number} y */
  #lines(y) {
    return this.#series.flatMap(({ kind, values }) => {
      const runs = runsOf(values).map((run) => run.map((i) => [this.#x(i), y(values[i] ?? 0)]));
      return [...runs.filter((run) => run.length > 1).map((run) => svg('polyline', { class: kind, points: run.join(' ') })),
        ...runs.flat().map(([cx, cy]) => svg('circle', { class: kind, r: 2.5, cx, cy }))];
    });
  }

  /** @param {number} place */
  #sentence(place) {
    const words = this.#series.flatMap(({ name, values }) => {
      const value = values[place];
      return value ? [`${name}: ${this.#word(value)}`] : [];
    });
    return `${new Date(this.#times[place]).toLocaleString()} · ${words.join(', ') || 'nothing'}`;
  }

  /** @param {number} place */
  #point(place) {
    this.#place = this.#times.length ? place : -1;
    const x = this.#place < 0 ? -9 : this.#x(this.#place);
    this.#pointer.setAttribute('x1', String(x));
    this.#pointer.setAttribute('x2', String(x));
    this.#said.replaceChildren(this.#place < 0 ? '\u00a0' : element('span', {}, this.#sentence(this.#place)));
    this.slider.setAttribute('aria-valuenow', String(Math.max(0, this.#place)));
    this.slider.setAttribute('aria-valuetext', this.#place < 0
      ? `${this.#title}: arrow keys go through time` : this.#said.textContent ?? '');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = this.#times.length - 1;
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.#place < 0 ? last : this.#place - 1, ArrowRight: this.#place + 1,
      Home: 0, End: last };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#point(Math.max(0, Math.min(last, to)));
  }

  /** @param {PointerEvent} event */
  #follow(event) {
    const { left, width } = this.#drawing.getBoundingClientRect();
    const share = ((event.clientX - left) / width * kWidth - kLeft) / (kWidth - kLeft);
    const place = Math.floor(share * this.#times.length);
    this.#point(place >= 0 && place < this.#times.length ? place : -1);
  }

  // Made when somebody wants it, and kept up to date from then on.
  #fillTable() {
    if (!this.#details.open) return this.#table.replaceChildren();
    /** @param {number | null | undefined} value */
    const cell = (value) => (value === null || value === undefined ? '–' : value ? this.#word(value) : '0');
    return this.#table.replaceChildren(element('table', {}, element('thead', {}, element('tr', {},
      element('th', { scope: 'col' }, 'From'),
      this.#series.map(({ name }) => element('th', { scope: 'col', class: 'number' }, name)))),
    element('tbody', {}, this.#times.map((at, i) => element('tr', {},
      element('th', { scope: 'row', class: 'moment' }, new Date(at).toLocaleString()),
      this.#series.map(({ values }) => element('td', { class: 'number' }, cell(values[i]))))))));
  }
}
