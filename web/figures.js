// Figures over time, by tool, agent and model; who runs sessions; and what the feedback of agents says.
import { count, dollars, duration, element, get, soon, svg } from './platform.js';

const kSpans = [['An hour', 3600e3], ['A day', 86400e3], ['A week', 7 * 86400e3], ['30 days', 30 * 86400e3],
  ['A year', 365 * 86400e3]];
const kWidth = 520;
const kHeight = 130;
const kLeft = 44;
const kBottom = 18;

const percent = (share) => (share ? `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %` : '0 %');

// Whoever looks at the same span asks the same, and the server counts once for all.
const fullMinute = (at) => Math.floor(at / 60e3) * 60e3;

function timeWord(at, span) {
  const date = new Date(at);
  return span <= 2 * 86400e3 ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
}

// `series`: [name, class, value of a bucket]. Bars stand on each other, lines beside.
function plot(title, history, series, { form = 'bars', word = count } = {}) {
  const { buckets } = history;
  const values = buckets.map((bucket) => series.map(([, , of]) => of(bucket) ?? 0));
  const most = Math.max(...values.map((each) => (form === 'bars'
    ? each.reduce((a, b) => a + b, 0) : Math.max(...each))), 0);
  const top = kHeight - kBottom;
  const y = (value) => top - (most ? value / most : 0) * (top - 8);
  const step = (kWidth - kLeft) / buckets.length;
  const marks = [];
  if (form === 'bars') {
    values.forEach((each, i) => {
      let below = 0;
      each.forEach((value, k) => {
        if (!value) return;
        marks.push(svg('rect', { class: series[k][1], x: kLeft + i * step + 0.5, width: Math.max(1, step - 1),
          y: y(below + value), height: Math.max(1, y(below) - y(below + value)) }));
        below += value;
      });
    });
  } else {
    series.forEach(([, kind, of]) => {
      const known = buckets.map((bucket, i) => [i, of(bucket)]).filter(([, value]) => value !== null);
      const points = known.map(([i, value]) => `${kLeft + (i + 0.5) * step},${y(value)}`);
      marks.push(svg('polyline', { class: kind, points: points.join(' '), fill: 'none' }),
        ...known.map(([i, value]) => svg('circle', { class: kind, r: 2.5, cx: kLeft + (i + 0.5) * step, cy: y(value) })));
    });
  }
  // A pointer anywhere over a stretch of time says what is there.
  buckets.forEach((bucket, i) => marks.push(svg('rect', { class: 'hit', x: kLeft + i * step, y: 0, width: step,
    height: top }, svg('title', {}, `${new Date(bucket.at).toLocaleString()}\n${series.map(([name, , of]) => `${name}: ${
    of(bucket) === null ? '–' : word(of(bucket))}`).join('\n')}`))));
  const span = history.until - history.since;
  const axis = [0, 0.5, 1].map((share) => svg('text', { x: kLeft + share * (kWidth - kLeft), y: kHeight - 4,
    'text-anchor': ['start', 'middle', 'end'][share * 2] }, timeWord(history.since + share * span, span)));
  const scale = most ? [most, most / 2].map((value) => [
    svg('line', { class: 'grid', x1: kLeft, x2: kWidth, y1: y(value), y2: y(value) }),
    svg('text', { x: kLeft - 4, y: y(value) + 4, 'text-anchor': 'end' }, word(value))]) : [];
  const total = series.map(([name, kind]) => element('span', { class: 'legend' },
    element('i', { class: kind }), name));
  return element('figure', {}, element('figcaption', {}, title, ' ', total),
    svg('svg', { class: 'plot', viewBox: `0 0 ${kWidth} ${kHeight}`, role: 'img',
      'aria-label': `${title} over time, at most ${word(most)}` }, scale, axis,
    svg('line', { class: 'grid', x1: kLeft, x2: kWidth, y1: top, y2: top }), marks));
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

export async function figuresView(view, events) {
  let span = 86400e3;
  let agent = '';
  const place = element('div');
  const load = async () => {
    const since = fullMinute(Date.now() - span);
    const filter = `since=${since}${agent ? `&agent=${encodeURIComponent(agent)}` : ''}`;
    const [stats, history, runners] = await Promise.all([get(`stats?${filter}`),
      get(`stats/history?buckets=48&${filter}`), get('runners')]);
    const { runs, calls, usage } = stats.all;
    place.replaceChildren(element('div', { class: 'cards' },
      card('Sessions', count(runs.count), `${percent(runs.failure_rate)} failed`),
      card('Took', duration(runs.p50_ms), `p95 ${duration(runs.p95_ms) || '–'}`),
      card('Tool calls', count(calls.count),
        `${percent(calls.failure_rate)} failed${calls.unknown ? `, ${count(calls.unknown)} unknown` : ''}`),
      card('Tokens', count(usage.input_tokens + usage.output_tokens),
        `${percent(usage.cached_tokens / Math.max(1, usage.input_tokens))} of the input from a cache`),
      card('Cost', dollars(usage.cost_usd))),
    history.is_complete ? '' : element('p', { class: 'waiting' }, 'The plots show the newest 20,000 sessions.'),
    element('div', { class: 'plots' },
      plot('Sessions', history, [['fine', 'good', (b) => b.sessions - b.failed], ['failed', 'bad', (b) => b.failed]]),
      plot('Durations', history, [['p50', 'accent', (b) => b.p50_ms], ['p95', 'warn', (b) => b.p95_ms]],
        { form: 'lines', word: duration }),
      plot('Tokens', history, [['in', 'accent', (b) => b.input_tokens], ['out', 'good', (b) => b.output_tokens]]),
      plot('Cost', history, [['dollars', 'warn', (b) => b.cost_usd]], { word: (value) => dollars(value) || '$0' })),
    table('Tools', stats.tools, kTimes((each) => each.calls)) ?? '',
    table('Agents', stats.agents, [...kTimes((each) => each.runs), ...kUsage]) ?? '',
    table('Models', stats.models, [...kTimes((each) => each.runs), ...kUsage]) ?? '', runnersPart(runners));
  };
  const { agents } = await get('agents');
  const spans = element('select', { 'aria-label': 'Time', onchange: () => { span = Number(spans.value); load(); } },
    kSpans.map(([word, value]) => element('option', { value: String(value), selected: value === span }, word)));
  const names = element('select', { 'aria-label': 'Agent', onchange: () => { agent = names.value; load(); } },
    ['', ...agents.map((each) => each.name)].map((word) => element('option', { value: word }, word || 'any agent')));
  view.replaceChildren(element('h1', {}, 'Figures'), element('div', { class: 'row' }, spans, names), place);
  await load();
  const reload = soon(load, 2000);
  const changed = (event) => { if (event.detail.type === 'run_ended') reload(); };
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

export async function feedbackView(view) {
  const summary = await get(`feedback?since=${fullMinute(Date.now() - 30 * 86400e3)}`);
  const troubled = summary.troubled_tools;
  const parts = [ranking('Tools to build', summary.tools_to_build),
    ranking('Fields to expose', summary.fields_to_expose), ranking('Improvements', summary.improvements),
    troubled.length ? element('section', {}, element('h2', {}, 'Tools in trouble'), element('ul', { class: 'ranking' },
      troubled.map((each) => element('li', {}, element('b', {}, each.tool), ` failed ${each.failed} of ${each.calls} times`,
        each.confused ? `, ${each.confused} of them for arguments that did not fit` : '',
        each.example_error ? element('pre', { tabindex: '0' }, each.example_error) : null,
        element('div', { class: 'dim' }, 'sessions: ', sessionLinks(each.examples)))))) : null].filter(Boolean);
  view.replaceChildren(element('h1', {}, 'Feedback'), element('p', { class: 'dim' },
    `${summary.with_feedback} of ${summary.sessions} sessions of the last 30 days gave feedback`
    + `${summary.contradicted ? `; ${summary.contradicted} said what did not happen` : ''}.`),
  ...(parts.length ? parts : [element('p', {}, 'No tool is missed and none fails. Agents tell what they lack '
    + 'when they run with --debug.')]));
}
