// What the dashboard makes of events, without a browser: node rows.mjs FOLDER.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.argv[2]}/`);
const { Rows } = await import(new URL('timeline.js', folder));
const { visible } = await import(new URL('platform.js', folder));

let sequence = 0;
const event = (type, data) => ({ sequence: ++sequence, session_id: 1, at: 1000 + sequence, type, data });
const rowsOf = (...events) => {
  const rows = new Rows(1);
  for (const each of events) rows.add(each);
  return rows.inOrder().map(({ kind, label, state }) => `${kind} ${label} ${state}`);
};
const begun = [event('session_started', {}), event('model_started', { iteration: 1 }), event('model_ended', {}),
  event('tool_started', { call_id: 'a', name: 'bash' })];
const done = event('run_ended', { phase: 'done' });

// The process of a call ended while it ran.
assert.deepEqual(rowsOf(...begun, event('session_started', {}),
  event('tool_ended', { call_id: 'a', name: 'bash', status: 'unknown' }), done),
['model model, turn 1 completed', 'tool bash unknown']);
// Nobody says what became of it.
assert.deepEqual(rowsOf(...begun, event('session_started', {}), done),
  ['model model, turn 1 completed', 'tool bash unknown']);
assert.deepEqual(rowsOf(...begun, event('run_ended', { phase: 'cancelled' })),
  ['model model, turn 1 completed', 'tool bash unknown']);
// It is executed again.
assert.deepEqual(rowsOf(...begun, event('session_started', {}), event('tool_started', { call_id: 'a', name: 'bash' }),
  event('tool_ended', { call_id: 'a', name: 'bash', status: 'completed' }), done),
['model model, turn 1 completed', 'tool bash unknown', 'tool bash completed']);
// An answer that never came is none.
assert.deepEqual(rowsOf(event('session_started', {}), event('model_started', { iteration: 1 }), event('session_started', {}),
  event('model_started', { iteration: 1 }), event('model_ended', {}), done),
['model model, turn 1 cancelled', 'model model, turn 1 completed']);

// Characters that cannot be seen, also those outside of the first plane.
assert.equal(visible('a\u202Eb\u{E0041}\u{E0100}c😀'), 'a⟨U+202E⟩b⟨U+E0041⟩⟨U+E0100⟩c😀');
