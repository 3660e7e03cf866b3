// What a model was sent and what it answered, read from the server when somebody wants to see it.
import { block, element, get, messageOf, readable } from './platform.js';

const copyButton = (text) => element('button', { type: 'button', class: 'quiet', onclick: async (event) => {
  const button = event.currentTarget;
  await navigator.clipboard.writeText(text).then(() => { button.textContent = 'Copied'; },
    () => { button.textContent = 'The browser does not allow it'; });
} }, 'Copy');

// `fingerprint`: of the body that was sent, as the event has it.
function sentPart(sent, fingerprint) {
  return [element('h3', {}, 'Sent'),
    element('p', { class: sent.is_exact ? 'completed' : 'waiting' }, sent.is_exact
      ? 'Exactly what was sent: made anew from what is stored, with the same fingerprint. Headers and keys are left out.'
      : `${sent.body ? 'Not exactly what was sent.' : 'What was sent cannot be made anew.'}${
        fingerprint ? '' : ' No fingerprint of it was kept.'}`),
    sent.notes.map((note) => element('p', { class: 'dim' }, `${note}.`)),
    sent.body ? [element('p', {}, element('code', {}, `${sent.method} ${sent.url}`), ' ', copyButton(sent.body)),
      block(readable(sent.body))] : null];
}

/** @param {any} row @param {number} turn */
export function exchange(row, turn) {
  const place = element('div');
  const fingerprint = row.ended?.data.request;
  const load = element('button', { type: 'button', onclick: async () => {
    try {
      const query = fingerprint ? `?sent=${encodeURIComponent(fingerprint)}` : '';
      const { request, sent, answer } = await get(`sessions/${row.session}/turns/${turn}${query}`);
      place.replaceChildren(...sentPart(sent, fingerprint).flat(2).filter((each) => each !== null),
        element('details', { open: !sent.body }, element('summary', {}, 'All that it could read'),
          element('h3', {}, 'Request'), block(JSON.stringify(request, null, 2))),
        element('h3', {}, 'Answer'), element('p', { class: 'dim' }, 'As it was understood and stored.'),
        block(JSON.stringify(answer, null, 2)));
    } catch (error) {
      place.replaceChildren(element('p', { role: 'alert', class: 'failed' }, messageOf(error)));
    }
  } }, 'Show request and answer');
  place.append(load);
  return place;
}
