// What a plot draws, without a browser: node plots.mjs FOLDER.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

// As much of a document as a plot needs.
globalThis.Node = class {
  attributes = {};
  children = [];
  constructor(name) { this.name = name; }
  addEventListener() {}
  setAttribute(key, value) { this.attributes[key] = value; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  all(name) {
    return this.children.flatMap((each) => (each instanceof Node
      ? [...(each.name === name ? [each] : []), ...each.all(name)] : []));
  }
};
const made = (name) => new Node(name);
globalThis.document = { createElement: made, createElementNS: (_, name) => made(name) };

const folder = pathToFileURL(`${process.argv[2]}/`);
const { Plot, runsOf } = await import(new URL('plots.js', folder));

assert.deepEqual(runsOf([]), []);
assert.deepEqual(runsOf([null, undefined]), []);
assert.deepEqual(runsOf([0, 1, null, 2, undefined, 3, 4]), [[0, 1], [3], [5, 6]]);

// Durations of hours in which nothing ran: a line over them would say that something did.
const plot = new Plot('Durations', { form: 'lines' });
const times = [0, 1, 2, 3, 4, 5, 6];
plot.show({ since: 0, until: 7, step_ms: 1 }, times,
  [{ name: 'p50', kind: 's0', values: [5, 7, null, null, 6, null, 8] }]);
const lines = plot.element.all('polyline');
assert.equal(lines.length, 1);
assert.equal(lines[0].attributes.points.split(' ').length, 2);
assert.equal(plot.element.all('circle').length, 4, 'what stands alone is a point');
// All of them in one: there is no gap.
plot.show({ since: 0, until: 7, step_ms: 1 }, times,
  [{ name: 'p50', kind: 's0', values: [1, 2, 3, 0, 5, 6, 7] }]);
assert.equal(plot.element.all('polyline').length, 1);
assert.equal(plot.element.all('polyline')[0].attributes.points.split(' ').length, 7);
