// Sessions, newest first, and figures.
import { block, duration, element, get, moment, post, status } from './platform.js';

const kStatuses = ['', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'queued'];

function row(session) {
  return element('tr', {},
    element('td', {}, element('a', { href: `#/sessions/${session.id}` }, String(session.id))),
    element('td', {}, status(session.status)),
    element('td', { class: 'wide' }, session.agent),
    element('td', { class: 'text' }, element('span', { class: 'cut' }, session.prompt)),
    element('td', { class: 'wide' }, moment(session.started_at)),
    element('td', { class: 'wide' }, duration(session.duration_ms)));
}

async function beginForm() {
  const { agents } = await get('agents');
  const agent = element('select', { 'aria-label': 'Agent' },
    agents.filter((each) => !each.unavailable).map((each) => element('option', {}, each.name)));
  const prompt = element('input', { 'aria-label': 'Prompt', placeholder: 'What shall it do?', size: '40' });
  const problem = element('span', { role: 'alert', class: 'failed' });
  return element('form', { class: 'row', onsubmit: async (event) => {
    event.preventDefault();
    try {
      const session = await post('sessions', { agent: agent.value, prompt: prompt.value });
      location.hash = `#/sessions/${session.id}`;
    } catch (error) {
      problem.textContent = error.message;
    }
  } }, agent, prompt, element('button', { class: 'main' }, 'Begin'), problem);
}

export async function sessionsView(view, events) {
  const filter = { search: '', status: '' };
  const body = element('tbody');
  const more = element('button', { type: 'button', hidden: true }, 'Older ones');
  let next = null;
  const query = (before) => {
    const parameters = new URLSearchParams({ root: 'true', limit: '50' });
    if (filter.search) parameters.set('search', filter.search);
    if (filter.status) parameters.set('status', filter.status);
    if (before) parameters.set('before', before);
    return get(`sessions?${parameters}`);
  };
  const load = async () => {
    const page = await query(null);
    next = page.next;
    more.hidden = next === null;
    body.replaceChildren(...page.sessions.map(row));
    if (!page.sessions.length) {
      body.append(element('tr', {}, element('td', { colspan: '6', class: 'dim' }, 'No sessions.')));
    }
  };
  more.addEventListener('click', async () => {
    const page = await query(next);
    next = page.next;
    more.hidden = next === null;
    body.append(...page.sessions.map(row));
  });
  const search = element('input', { type: 'search', 'aria-label': 'Search', placeholder: 'Search  ( / )',
    oninput: () => { filter.search = search.value; load(); } });
  const statuses = element('select', { 'aria-label': 'Status', onchange: () => {
    filter.status = statuses.value;
    load();
  } }, kStatuses.map((word) => element('option', { value: word }, word || 'any status')));
  const head = ['ID', 'Status', 'Agent', 'Prompt', 'Started', 'Took'].map((title, i) => element('th', {
    scope: 'col', class: [2, 4, 5].includes(i) ? 'wide' : undefined }, title));
  view.replaceChildren(element('h1', {}, 'Sessions'), await beginForm(),
    element('div', { class: 'row' }, search, statuses),
    element('table', {}, element('thead', {}, element('tr', {}, head)), body), more);
  await load();

  // What changes is shown soon, but not for every word of a model.
  let timer = null;
  const changed = (event) => {
    if (!['session_started', 'run_ended', 'run_waiting'].includes(event.detail.type) || timer) return;
    timer = setTimeout(() => { timer = null; load(); }, 300);
  };
  const key = (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
    event.preventDefault();
    search.focus();
  };
  events.addEventListener('event', changed);
  document.addEventListener('keydown', key);
  return () => {
    clearTimeout(timer);
    events.removeEventListener('event', changed);
    document.removeEventListener('keydown', key);
  };
}

export async function statsView(view) {
  const stats = await get('stats');
  view.replaceChildren(element('h1', {}, 'Figures'), block(stats));
}
