// What came of replaying a session: the same, or the first difference with both sides next to each
// other.
import { count, element } from './platform.js';

const kMostLines = 400;

// Lines that are the same at the beginning and at the end stand on both sides; the rest is marked.
function sides(recorded, now) {
  const [left, right] = [recorded.split('\n'), now.split('\n')];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head
    && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const from = Math.max(0, head - 3);  // some lines before, so that one sees where it is
  const part = (lines) => {
    const to = Math.min(lines.length, lines.length - tail + 3, from + kMostLines);
    return [from > 0 ? `… ${count(from)} lines that are the same\n` : '',
      ...lines.slice(from, to).map((line, i) => {
        const isOwn = from + i >= head && from + i < lines.length - tail;
        return isOwn ? element('mark', {}, `${line}\n`) : `${line}\n`;
      }), to < lines.length ? `… ${count(lines.length - to)} more lines\n` : ''];
  };
  return [part(left), part(right)];
}

function where(difference) {
  const way = difference.specialists.map((name) => `specialist ${name}, `).join('');
  return `${way}${difference.message ? `message ${difference.message}, ` : ''}${difference.what}`;
}

/** @param {HTMLElement} place @param {any} report */
export function showReplay(place, report) {
  const work = `${count(report.turns)} turns and ${count(report.calls)} calls, from the record`;
  place.hidden = false;
  place.replaceChildren(element('h2', {}, 'Replay'),
    element('p', { class: report.is_same ? 'completed' : 'failed' },
      report.is_same ? `It comes out the same: ${work}.` : `It comes out differently: ${work}.`),
    ...[...report.notes, report.is_complete ? '' : 'The record ends before the session did',
      report.agent_is_from_record ? 'The agent cannot be made here: what the record says of it was used' : '']
      .filter(Boolean).map((note) => element('p', { class: 'dim' }, `${note}.`)),
    ...report.differences.map((difference) => {
      const [recorded, now] = sides(difference.recorded, difference.now);
      return element('div', {}, element('h3', {}, where(difference)),
        element('div', { class: 'sides' },
          element('div', {}, element('h4', {}, 'Recorded'), element('pre', { tabindex: '0' }, recorded)),
          element('div', {}, element('h4', {}, 'Now'), element('pre', { tabindex: '0' }, now))),
        difference.is_cut ? element('p', { class: 'dim' }, 'It is longer; `wright replay` shows all of it.') : null);
    }));
}
