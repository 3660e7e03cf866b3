// Figures over time, by tool, agent and model; who runs sessions; and what the feedback of agents says.
import { count, detailOf, dollars, duration, element, get, messageOf, soon } from './platform.js';
import { kColours, Plot } from './plots.js';

const kSpans = [['An hour', 3600e3], ['A day', 86400e3], ['A week', 7 * 86400e3], ['30 days', 30 * 86400e3],
  ['A year', 365 * 86400e3]];
const kBy = [['', 'all together'], ['agent', 'by agent'], ['model', 'by model'], ['tool', 'by tool']];

/** @param {number} share */
const percent = (share) => (share ? `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %` : '0 %');

// Whoever looks at the same span asks the same, and the server counts once for all.
/** @param {number} at */
const fullMinute = (at) => Math.floor(at / 60e3) * 60e3;

/** @param {number} value */
const money = (value) => dollars(value) || '$0';

/** @typedef {{ count: number, failed: number, limited: number, unknown: number, input_tokens: number,
 *   output_tokens: number, cost_usd: number, p50_ms: number | null, p95_ms: number | null }} Bucket */
/** @typedef {(bucket: Bucket) => number | null} Value */
/** @typedef {{ since: number, until: number, step_ms: number, counted: 'sessions' | 'calls', is_complete: boolean,
 *   series: { name: string, is_rest: boolean, count: number, buckets: Bucket[] }[] }} History */
/** @typedef {{ form?: string, word?: (value: number) => string }} How */

// What is plotted of each agent, model or tool: title, how, and the value of a stretch of time.
/** @type {Record<History['counted'], [string, How, Value][]>} */
const kShown = {
  sessions: [['Sessions', {}, (b) => b.count], ['Failed', {}, (b) => b.failed],
    ['Stopped by a limit', {}, (b) => b.limited],
    ['Duration, p50', { form: 'lines', word: duration }, (b) => b.p50_ms],
    ['Duration, p95', { form: 'lines', word: duration }, (b) => b.p95_ms],
    ['Tokens', {}, (b) => b.input_tokens + b.output_tokens], ['Cost', { word: money }, (b) => b.cost_usd]],
  calls: [['Calls', {}, (b) => b.count], ['Failed', {}, (b) => b.failed + b.unknown],
    ['Duration, p50', { form: 'lines', word: duration }, (b) => b.p50_ms],
    ['Duration, p95', { form: 'lines', word: duration }, (b) => b.p95_ms]],
};
// Of all together: each plot has several values of a stretch.
/** @type {Record<History['counted'], [string, How, [string, string, Value][]][]>} */
const kTogether = {
  sessions: [['Sessions', {}, [['fine', 'good', (b) => b.count - b.failed], ['failed', 'bad', (b) => b.failed]]],
    ['Duration', { form: 'lines', word: duration }, [['p50', 'accent', (b) => b.p50_ms], ['p95', 'warn', (b) => b.p95_ms]]],
    ['Tokens', {}, [['in', 'accent', (b) => b.input_tokens], ['out', 'good', (b) => b.output_tokens]]],
    ['Cost', { word: money }, [['dollars', 'warn', (b) => b.cost_usd]]]],
  calls: [['Calls', {}, [['fine', 'good', (b) => b.count - b.failed - b.unknown], ['failed', 'bad', (b) => b.failed],
    ['unknown', 'warn', (b) => b.unknown]]],
  ['Duration', { form: 'lines', word: duration }, [['p50', 'accent', (b) => b.p50_ms], ['p95', 'warn', (b) => b.p95_ms]]]],
};

// The plots of one choice. They stay while it does, so that a pointer and an open table stay, too.
class Plots {
  element = element('div', { class: 'plots' });
  #kind = '';
  /** @type {Plot[]} */
  #plots = [];

  /** @param {History} history @param {string} by */
  show(history, by) {
    const { counted, series } = history;
    const kind = `${counted} ${by}`;
    if (kind !== this.#kind) {
      this.#kind = kind;
      this.#plots = (by ? kShown[counted] : kTogether[counted]).map((each) => new Plot(each[0], each[1]));
      this.element.replaceChildren(...this.#plots.map((plot) => plot.element));
    }
    const length = Math.ceil((history.until - history.since) / history.step_ms);
    const times = Array.from({ length }, (_, i) => history.since + i * history.step_ms);
    const lists = by
      ? kShown[counted].map(([, , of]) => series.map((each, k) => ({
        name: each.is_rest ? 'all others' : each.name || '(without a name)',
        kind: `s${each.is_rest ? kColours - 1 : k}`, values: each.buckets.map(of) })))
      : kTogether[counted].map(([, , of]) => of.map(([name, colour, value]) => (
        { name, kind: colour, values: (series[0]?.buckets ?? []).map(value) })));
    lists.forEach((list, i) => this.#plots[i].show(history, times, list));
  }
}

const card = (name, value, more = '') => element('div', { class: 'card' }, element('div', { class: 'dim' }, name),
  element('div', { class: 'big' }, value || '–'), element('div', { class: 'dim' }, more));

function table(title, rows, columns) {
  if (!rows.length) return null;
  const most = Math.max(...rows.map((each) => columns[0][1](each)));
  return element('section', {}, element('h2', {}, title), element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
    element('table', {}, element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Name'),
      columns.map(([name]) => element('th', { scope: 'col', class: 'number' }, name)))),
    element('tbody', {}, rows.map((each) => {
      const bar = element('div', { class: 'bar' });
      bar.style.width = `${(columns[0][1](each) / most) * 100}%`;
      return element('tr', {}, element('th', { scope: 'row' }, each.name, bar),
        columns.map(([, of, word = (value) => value]) => element('td', { class: 'number' }, String(word(of(each) ?? '')))));
    })))));
}

const kTimes = (of) => [
  ['Count', (each) => of(each).count, count], ['Failed', (each) => of(each).failure_rate, percent],
  ['p50', (each) => of(each).p50_ms, duration], ['p95', (each) => of(each).p95_ms, duration]];
const kUsage = [['Tokens in', (each) => each.usage.input_tokens, count],
  ['out', (each) => each.usage.output_tokens, count], ['Cost', (each) => each.usage.cost_usd, dollars]];

const kMostListed = 20;
const links = (ids) => [...ids.slice(0, kMostListed).map((id) => element('a', { href: `#/sessions/${id}` }, `${id} `)),
  ids.length > kMostListed ? `and ${ids.length - kMostListed} more` : ''];

function queuePart(queue) {
  if (!queue.length) return element('p', {}, 'Nothing waits in the queue.');
  const oldest = Math.min(...queue.map((each) => each.queued_at));
  return [element('p', {}, `${queue.length >= 500 ? '500 or more' : queue.length} wait in the queue, the oldest for ${duration(Date.now() - oldest)}:`),
    element('ul', {}, queue.slice(-kMostListed).reverse().map((each) => element('li', {},
      element('a', { href: `#/sessions/${each.id}` }, `session ${each.id}`), ` ${each.agent}`,
      each.priority ? ` · priority ${each.priority}` : '', each.labels.length ? ` · needs ${each.labels.join(', ')}` : '',
      each.ready_at && each.ready_at > Date.now() ? ` · not for another ${duration(each.ready_at - Date.now())}` : '')))];
}

function runnersPart({ runners, running_here: here, queue, abandoned }) {
  const alive = runners.filter((runner) => runner.is_alive);
  const silent = runners.filter((runner) => !runner.is_alive && runner.sessions.length);
  return element('section', {}, element('h2', {}, 'Who runs sessions'),
    element('p', {}, `${here === undefined ? '' : `This server drives ${here} now. `}${alive.length} of ${runners.length} known processes are alive.`),
    alive.length ? element('ul', {}, alive.map((runner) => element('li', {}, element('code', {}, runner.name || String(runner.id)),
      ` for another ${duration(runner.expires_at - Date.now())}, unless it renews`,
      runner.sessions.length ? [' · drives ', links(runner.sessions)] : ''))) : null,
    silent.map((runner) => element('p', { class: 'waiting' }, element('code', {}, runner.name || String(runner.id)),
      ' was not heard of in time; others may take over ', links(runner.sessions))),
    abandoned.length ? element('p', { class: 'waiting' }, 'Nobody drives ', links(abandoned)) : null,
    element('h2', {}, 'Queue'), queuePart(queue));
}

// What sessions of an agent may use, and what they did use of it.
function budgetsPart(agents, { series }) {
  const used = new Map(series.map((each) => [each.name, each.buckets[0]]));
  const limited = agents.filter((agent) => agent.limits);
  if (!limited.length) return null;
  const cell = (value) => element('td', { class: 'number' }, value);
  const mean = (sum, of, word) => (of?.count ? word(sum / of.count) || '0' : '–');
  return element('section', {}, element('h2', {}, 'Budgets of a session'),
    element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Budgets' }, element('table', {},
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Agent'),
        ['Sessions', 'Stopped by a limit', 'Tokens, mean', 'at most', 'Cost, mean', 'at most', 'Turns at most', 'Calls at most',
          'Time at most'].map((name) => element('th', { scope: 'col', class: 'number' }, name)))),
      element('tbody', {}, limited.map(({ name, limits }) => {
        const of = used.get(name);
        return element('tr', {}, element('th', { scope: 'row' }, name), cell(count(of?.count ?? 0)),
          element('td', { class: `number ${of?.limited ? 'failed' : ''}` }, count(of?.limited ?? 0)),
          cell(mean((of?.input_tokens ?? 0) + (of?.output_tokens ?? 0), of, (value) => count(Math.round(value)))),
          cell(limits.tokens === null ? '–' : count(limits.tokens)),
          cell(mean(of?.cost_usd ?? 0, of, money)), cell(limits.cost_usd === null ? '–' : money(limits.cost_usd)),
          cell(count(limits.iterations)), cell(limits.tool_calls === null ? '–' : count(limits.tool_calls)),
          cell(limits.time_ms === null ? '–' : duration(limits.time_ms)));
      })))));
}

// What is looked at stands in the address, so that it can be kept and sent.
const kChoices = { span: '86400000', by: '', agent: '', model: '', tool: '' };
function choiceOf(address) {
  const given = new URLSearchParams(address.split('?')[1] ?? '');
  return Object.fromEntries(Object.entries(kChoices).map(([key, otherwise]) => [key, given.get(key) ?? otherwise]));
}
const queryOf = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')
  .map(([key, value]) => [key, String(value)]));

/** @param {HTMLElement} view @param {import('./platform.js').Events} events */
export async function figuresView(view, events) {
  const choice = choiceOf(location.hash);
  const { agents } = await get('agents');
  const [cards, note, tables, budgets, runners] = [element('div', { class: 'cards' }),
    element('p', { class: 'waiting', hidden: true }, 'The plots show the newest million.'), element('div'), element('div'),
    element('div')];
  const plots = new Plots();
  const known = { agent: new Set(agents.map((each) => each.name)), model: new Set(), tool: new Set() };
  const selects = {};
  const options = (key) => ['', ...new Set([...known[key], choice[key]].filter(Boolean))].map((word) => element('option',
    { value: word, selected: word === choice[key] }, word || `any ${key}`));
  let asked = 0;
  const load = async () => {
    const mine = ++asked;
    const until = fullMinute(Date.now()) + 60e3;
    const since = until - Number(choice.span);
    const { by, agent, model, tool } = choice;
    // Each part is shown as soon as it is there; those of an earlier question are dropped.
    const show = async (path, draw) => {
      const json = await get(path);
      if (mine === asked) draw(json);
    };
    await Promise.all([
      show(`stats/series?${queryOf({ since, until, by, agent, model, tool, series: kColours - 1 })}`, (history) => {
        note.hidden = history.is_complete;
        plots.show(history, by);
      }),
      show(`stats/series?${queryOf({ since, until, by: 'agent', buckets: 1, series: 50 })}`,
        (used) => budgets.replaceChildren(...[budgetsPart(agents, used)].filter((each) => each !== null))),
      show('runners', (running) => runners.replaceChildren(runnersPart(running))),
      show(`stats?${queryOf({ since, agent })}`, showTotals)]);
  };
  const showTotals = (stats) => {
    const { runs, calls, usage } = stats.all;
    cards.replaceChildren(
      card('Sessions', count(runs.count), `${percent(runs.failure_rate)} failed`),
      card('Took', duration(runs.p50_ms), `p95 ${duration(runs.p95_ms) || '–'}`),
      card('Tool calls', count(calls.count),
        `${percent(calls.failure_rate)} failed${calls.unknown ? `, ${count(calls.unknown)} unknown` : ''}`),
      card('Tokens', count(usage.input_tokens + usage.output_tokens),
        `${percent(usage.cached_tokens / Math.max(1, usage.input_tokens))} of the input from a cache`),
      card('Cost', dollars(usage.cost_usd)));
    tables.replaceChildren(...[table('Tools', stats.tools, kTimes((each) => each.calls)),
      table('Agents', stats.agents, [...kTimes((each) => each.runs), ...kUsage]),
      table('Models', stats.models, [...kTimes((each) => each.runs), ...kUsage])].filter((each) => each !== null));
    // What can be chosen is what there is; the choice stays as it is.
    for (const [key, names] of [['model', stats.models], ['tool', stats.tools]]) {
      const before = known[key].size;
      for (const each of names) known[key].add(each.name);
      if (known[key].size !== before && document.activeElement !== selects[key]) selects[key].replaceChildren(...options(key));
    }
  };
  const trouble = element('p', { role: 'alert', class: 'failed' });
  const change = (key, value) => {
    choice[key] = value;
    history.replaceState(null, '', `#/figures?${queryOf(choice)}`);
    trouble.textContent = '';
    load().catch((error) => { trouble.textContent = messageOf(error); });
  };
  const select = (label, key, words) => {
    selects[key] = element('select', { 'aria-label': label, onchange: () => change(key, selects[key].value) }, words);
    return selects[key];
  };
  view.replaceChildren(element('h1', {}, 'Figures'), element('div', { class: 'row' },
    select('Time', 'span', kSpans.map(([word, value]) => element('option', { value: String(value), selected: String(value) === choice.span }, word))),
    select('Compare', 'by', kBy.map(([value, word]) => element('option', { value, selected: value === choice.by }, word))),
    select('Agent', 'agent', options('agent')), select('Model', 'model', options('model')),
    select('Tool', 'tool', options('tool'))), trouble, cards, note, plots.element, tables, budgets, runners);
  await load();
  const reload = soon(() => load().catch(() => {}), 2000);
  const changed = (event) => { if (detailOf(event).type === 'run_ended') reload(); };
  events.addEventListener('event', changed);
  return () => {
    reload.stop();
    events.removeEventListener('event', changed);
  };
}

const sessionLinks = (ids) => ids.map((id) => element('a', { href: `#/sessions/${id}` }, `${id} `));

function ranking(title, wishes) {
  if (!wishes.length) return null;
  const most = Math.max(...wishes.map((wish) => wish.score), 1e-9);
  return element('section', {}, element('h2', {}, title), element('ol', { class: 'ranking' }, wishes.map((wish) => {
    const bar = element('div', { class: 'bar' });
    bar.style.width = `${(wish.score / most) * 100}%`;
    return element('li', {}, element('div', {}, wish.tool_spec?.name ? element('b', {}, wish.tool_spec.name, ' ') : null, wish.description), bar,
      element('div', { class: 'dim' }, `${wish.priority} · ${wish.sessions} ${wish.sessions === 1 ? 'session' : 'sessions'}: `,
        sessionLinks(wish.examples)));
  })));
}

/** @param {HTMLElement} view */
export async function feedbackView(view) {
  const summary = await get(`feedback?since=${fullMinute(Date.now() - 30 * 86400e3)}`);
  const troubled = summary.troubled_tools;
  const parts = [ranking('Tools to build', summary.tools_to_build),
    ranking('Fields to expose', summary.fields_to_expose), ranking('Improvements', summary.improvements),
    troubled.length ? element('section', {}, element('h2', {}, 'Tools in trouble'), element('ul', { class: 'ranking' },
      troubled.map((each) => element('li', {}, element('b', {}, each.tool), ` failed ${each.failed} of ${each.calls} times`,
        each.confused ? `, ${each.confused} of them for arguments that did not fit` : '',
        each.example_error ? element('pre', { tabindex: '0' }, each.example_error) : null,
        element('div', { class: 'dim' }, 'sessions: ', sessionLinks(each.examples)))))) : null].filter((each) => each !== null);
  view.replaceChildren(element('h1', {}, 'Feedback'), element('p', { class: 'dim' },
    `${summary.with_feedback} of ${summary.sessions} sessions of the last 30 days gave feedback`
    + `${summary.contradicted ? `; ${summary.contradicted} said what did not happen` : ''}${
      summary.is_complete === false ? '; some were not read' : ''}.`),
  ...(parts.length ? parts : [element('p', {}, 'No tool is missed and none fails. Agents tell what they lack '
    + 'when they run with --debug.')]));
}
