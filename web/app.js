// The dashboard: which view the address names, what is live, and keys that hold everywhere.
import { detailOf, element, Events, get, isTyping, logIn, messageOf, NotAdmitted, useToken } from './platform.js';
import { sessionsView } from './lists.js';
import { feedbackView, figuresView } from './figures.js';
import { sessionView } from './session.js';
import { waitsView } from './waits.js';

const view = /** @type {HTMLElement} */ (document.getElementById('view'));
const events = new Events();
let leave = () => {};
let shown = 0;

/** Whoever opens a view gets back how to leave it, where there is something to do.
 * @typedef {(place: HTMLElement, match: RegExpMatchArray) => Promise<(() => void) | void>} Open */
/** @type {[RegExp, Open]} */
const kSessions = [/^#\/sessions/, (place) => sessionsView(place, events)];
/** @type {[RegExp, Open][]} */
const kViews = [
  [/^#\/sessions\/(\d+)/, (place, match) => sessionView(place, events, Number(match[1]))],
  kSessions,
  [/^#\/waits/, (place) => waitsView(place, events)],
  [/^#\/figures/, (place) => figuresView(place, events)],
  [/^#\/feedback/, (place) => feedbackView(place)],
];

function tokenForm() {
  const input = element('input', { type: 'password', 'aria-label': 'Token', autocomplete: 'off', size: '40' });
  return element('form', { class: 'row', onsubmit: (event) => {
    event.preventDefault();
    useToken(input.value.trim());
    location.reload();
  } }, input, element('button', { class: 'main' }, 'Use it'));
}

/** @param {HTMLElement} place @param {unknown} error */
function complain(place, error) {
  place.replaceChildren(element('h1', {}, 'That did not work'),
    element('p', { role: 'alert' }, messageOf(error)));
  if (!(error instanceof NotAdmitted)) return;
  place.append(element('p', { class: 'dim' },
    'The link that `wright serve` prints opens this page once. Or paste a token here; '
    + 'it is kept until this tab is closed.'), tokenForm());
}

async function show() {
  leave();
  leave = () => {};
  const mine = ++shown;
  const address = location.hash || '#/sessions';
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = address.startsWith(link.getAttribute('href') ?? '');
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const [pattern, open] = kViews.find(([each]) => each.test(address)) ?? kSessions;
  // A view draws into a place of its own: one that was left behind draws nowhere.
  const place = element('div');
  view.replaceChildren(place);
  scrollTo(0, 0);
  try {
    const left = (await open(place, address.match(pattern) ?? [''])) ?? (() => {});
    if (mine === shown) leave = left;
    else left();
  } catch (error) {
    complain(place, error);
  }
}

let counting = 0;
async function countWaits() {
  counting = 0;
  const { waits } = await get('waits').catch(() => ({ waits: [] }));
  const counter = document.getElementById('open-waits');
  if (counter) counter.textContent = waits.length ? String(waits.length) : '';
}

events.addEventListener('connection', (event) => {
  const place = document.getElementById('connection');
  if (!place) return;
  place.textContent = detailOf(event);
  place.className = detailOf(event) === 'live' ? 'live' : 'cut-off';
});
events.addEventListener('event', (event) => {
  const types = ['run_waiting', 'run_ended', 'tool_started'];
  if (types.includes(detailOf(event).type) && !counting) counting = setTimeout(countWaits, 300);
});

const help = /** @type {HTMLDialogElement} */ (document.getElementById('help'));
document.getElementById('keys')?.addEventListener('click', () => help.showModal());
/** @type {Record<string, string>} */
const kPlaces = { s: '#/sessions', w: '#/waits', f: '#/figures', b: '#/feedback' };
let isAfterG = false;
document.addEventListener('keydown', (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '?') help.showModal();
  else if (isAfterG && kPlaces[event.key]) location.hash = kPlaces[event.key];
  isAfterG = event.key === 'g';
});

await logIn();
addEventListener('hashchange', show);
events.start();
countWaits();
await show();
