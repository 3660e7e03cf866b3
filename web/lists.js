// Sessions, newest first, as they happen.
import { count, dollars, duration, element, get, isTyping, messageOf, moment, post, soon, status, visible } from './platform.js';

const kStatuses = ['', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'queued'];
const kColumns = [['ID'], ['Status'], ['Agent', 'wide'], ['Prompt'], ['Started', 'wide'], ['Took', 'wide number'],
  ['Tokens', 'wide number'], ['Cost', 'wide number']];

function row(session) {
  const { usage } = session;
  return element('tr', { 'data-id': String(session.id) },
    element('td', {}, element('a', { href: `#/sessions/${session.id}` }, String(session.id))),
    element('td', {}, status(session.status)),
    element('td', { class: 'wide' }, session.agent),
    element('td', { class: 'text' }, element('span', { class: 'cut' }, session.prompt.slice(0, 400))),
    element('td', { class: 'wide' }, moment(session.started_at)),
    element('td', { class: 'wide number' }, duration(session.duration_ms)),
    element('td', { class: 'wide number' }, count(usage.input_tokens + usage.output_tokens)),
    element('td', { class: 'wide number' }, dollars(usage.cost_usd)));
}

function beginForm(agents) {
  const agent = element('select', { 'aria-label': 'Agent' },
    agents.filter((each) => !each.unavailable).map((each) => element('option', {}, each.name)));
  const prompt = element('input', { 'aria-label': 'Prompt', placeholder: 'What shall it do?', class: 'grow' });
  const problem = element('span', { role: 'alert', class: 'failed' });
  return element('form', { class: 'row begin', onsubmit: async (event) => {
    event.preventDefault();
    try {
      const session = await post('sessions', { agent: agent.value, prompt: prompt.value });
      location.hash = `#/sessions/${session.id}`;
    } catch (error) {
      problem.textContent = visible(messageOf(error));
    }
  } }, agent, prompt, element('button', { class: 'main' }, 'Begin'), problem);
}

// What is searched for stands in the address, so that it can be kept and sent.
function filterOf(address) {
  const parameters = new URLSearchParams(address.split('?')[1] ?? '');
  return { search: parameters.get('search') ?? '', status: parameters.get('status') ?? '',
    agent: parameters.get('agent') ?? '' };
}
function addressOf(filter) {
  const parameters = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `#/sessions${parameters.size ? `?${parameters}` : ''}`;
}

/** @param {HTMLElement} view @param {import('./platform.js').Events} events */
export async function sessionsView(view, events) {
  const filter = filterOf(location.hash);
  const body = element('tbody');
  const empty = element('p', { class: 'dim', hidden: true });
  const more = element('button', { type: 'button', hidden: true }, 'Older ones');
  let next = null;
  let asked = 0;
  let isOld = false;  // whoever reads old ones is not taken back to the newest
  const query = (before) => {
    const parameters = new URLSearchParams({ root: 'true', limit: '50' });
    for (const [key, value] of Object.entries(filter)) if (value) parameters.set(key, value);
    if (before) parameters.set('before', before);
    return get(`sessions?${parameters}`);
  };
  const load = async () => {
    const mine = ++asked;
    const page = await query(null);
    if (mine !== asked) return;  // a later question is under way
    const chosen = /** @type {HTMLElement | null} */ (body.querySelector('tr[aria-selected]'))?.dataset.id;
    next = page.next;
    more.hidden = next === null;
    body.replaceChildren(...page.sessions.map(row));
    if (chosen) body.querySelector(`tr[data-id="${chosen}"]`)?.setAttribute('aria-selected', 'true');
    empty.hidden = page.sessions.length > 0;
    const isFiltered = Object.values(filter).some(Boolean);
    empty.textContent = isFiltered ? 'No session fits.' : 'No sessions yet. Begin one above.';
  };
  more.addEventListener('click', async () => {
    const page = await query(next);
    next = page.next;
    more.hidden = next === null;
    isOld = true;
    body.append(...page.sessions.map(row));
  });
  const ask = soon(load, 150);
  const change = (key, value) => {
    filter[key] = value;
    isOld = false;
    history.replaceState(null, '', addressOf(filter));
    ask();
  };
  const search = element('input', { type: 'search', 'aria-label': 'Search', placeholder: 'Search  ( / )',
    value: filter.search, oninput: () => change('search', search.value) });
  const { agents } = await get('agents');
  const choice = (label, key, words) => {
    const made = element('select', { 'aria-label': label, onchange: () => change(key, made.value) },
      words.map((word) => element('option', { value: word, selected: word === filter[key] },
        word || `any ${label.toLowerCase()}`)));
    return made;
  };
  const head = kColumns.map(([title, kind]) => element('th', { scope: 'col', class: kind }, title));
  view.replaceChildren(element('h1', {}, 'Sessions'), beginForm(agents),
    element('div', { class: 'row' }, search, choice('Status', 'status', kStatuses),
      choice('Agent', 'agent', ['', ...agents.map((agent) => agent.name)])),
    element('table', { class: 'sessions' }, element('thead', {}, element('tr', {}, head)), body), empty, more);
  await load();

  // What changes is shown soon, but not for every word of a model.
  const reload = soon(load, 300);
  const changed = (event) => {
    if (!isOld && ['session_started', 'run_ended', 'run_waiting'].includes(event.detail.type)) reload();
  };
  const move = (step) => {
    const rows = [...body.children];
    const now = rows.findIndex((each) => each.hasAttribute('aria-selected'));
    const there = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
    rows[now]?.removeAttribute('aria-selected');
    there?.setAttribute('aria-selected', 'true');
    there?.querySelector('a')?.focus();
  };
  const key = (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey) return;
    if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
    else if (event.key !== '/') return;
    else {
      event.preventDefault();
      search.focus();
    }
  };
  events.addEventListener('event', changed);
  document.addEventListener('keydown', key);
  // Other processes that use the same store send no events.
  const polling = setInterval(() => { if (!document.hidden && !isOld) reload(); }, 10000);
  return () => {
    clearInterval(polling);
    reload.stop();
    ask.stop();
    events.removeEventListener('event', changed);
    document.removeEventListener('keydown', key);
  };
}
