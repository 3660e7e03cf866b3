// The dashboard: which view the address names, and what is live.
import { element, get, logIn, Events } from './platform.js';
import { sessionsView, statsView } from './lists.js';
import { sessionView } from './session.js';
import { waitsView } from './waits.js';

const view = /** @type {HTMLElement} */ (document.getElementById('view'));
const events = new Events();
let leave = () => {};

const kViews = [
  [/^#\/sessions\/(\d+)/, (match) => sessionView(view, events, Number(match[1]))],
  [/^#\/sessions/, () => sessionsView(view, events)],
  [/^#\/waits/, () => waitsView(view, events)],
  [/^#\/stats/, () => statsView(view)],
];

async function show() {
  leave();
  const address = location.hash || '#/sessions';
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = address.startsWith(link.getAttribute('href') ?? '');
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const [pattern, open] = kViews.find(([each]) => each.test(address)) ?? kViews[1];
  try {
    leave = (await open(address.match(pattern))) ?? (() => {});
  } catch (error) {
    view.replaceChildren(element('h1', {}, 'That did not work'),
      element('p', { role: 'alert' }, error.message));
  }
}

async function countWaits() {
  const { waits } = await get('waits').catch(() => ({ waits: [] }));
  const counter = document.getElementById('open-waits');
  if (counter) counter.textContent = waits.length ? String(waits.length) : '';
}

events.addEventListener('connection', (event) => {
  const place = document.getElementById('connection');
  if (place) place.textContent = event.detail;
});
events.addEventListener('event', (event) => {
  if (['run_waiting', 'run_ended', 'tool_ended'].includes(event.detail.type)) countWaits();
});

await logIn();
addEventListener('hashchange', show);
events.start();
countWaits();
await show();
