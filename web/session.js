// One session: its timeline, its conversation, its calls, and what can be done with it.
import { block, duration, element, get, moment, post, status, svg } from './platform.js';
import { waitCard } from './waits.js';

const kRow = 18;
const kWidth = 1000;

// Bars from events: what a model or a tool began and ended.
function barsOf(events) {
  const bars = [];
  const open = new Map();
  for (const event of events) {
    const at = event.at;
    const key = (id) => `${event.session_id}/${id}`;
    if (event.type === 'model_started') {
      const bar = { kind: 'model', label: 'model', from: at, to: null, event };
      open.set(key('model'), bar);
      bars.push(bar);
    } else if (event.type === 'tool_started') {
      const bar = { kind: 'tool', label: event.data.name, from: at, to: null, event };
      open.set(key(event.data.call_id), bar);
      bars.push(bar);
    } else if (event.type === 'model_ended' || event.type === 'tool_ended') {
      const bar = open.get(key(event.type === 'model_ended' ? 'model' : event.data.call_id));
      if (!bar) continue;
      bar.to = at;
      bar.ended = event;
      if (event.data.status === 'failed') bar.kind = 'bad';
      if (event.data.status === 'waiting') bar.kind = 'wait';
    }
  }
  return bars;
}

// Time in which nothing happens is folded, so that bursts stay visible.
const kLongestGap = 2000;
function timeScale(bars, now) {
  const points = [...new Set(bars.flatMap((bar) => [bar.from, bar.to ?? now]))].sort((a, b) => a - b);
  const places = new Map();
  let place = 0;
  points.forEach((point, i) => {
    if (i > 0) {
      const gap = point - points[i - 1];
      const isBusy = bars.some((bar) => bar.from <= points[i - 1] && (bar.to ?? now) >= point);
      place += isBusy ? gap : Math.min(gap, kLongestGap);
    }
    places.set(point, place);
  });
  const whole = Math.max(place, 1);
  return (point) => (places.get(point) / whole) * kWidth;
}

function timeline(bars, choose) {
  const shown = bars.slice(-300);
  const now = Date.now();
  const x = timeScale(shown, now);
  const height = Math.max(shown.length, 1) * kRow;
  const rows = shown.map((bar, i) => {
    const left = x(bar.from);
    const width = Math.max(2, x(bar.to ?? now) - left);
    const took = duration((bar.to ?? now) - bar.from);
    const word = { bad: '✗ failed', wait: '… waits' }[bar.kind] ?? '';
    return svg('g', {},
      svg('rect', { x: left, y: i * kRow + 3, width, height: kRow - 6, class: bar.kind, tabindex: 0,
        role: 'button', 'aria-label': `${bar.label}, ${took} ${word}`, onclick: () => choose(bar),
        onkeydown: (event) => { if (event.key === 'Enter') choose(bar); } }),
      svg('text', left < kWidth * 0.7
        ? { x: Math.min(left + width + 4, kWidth - 4), y: i * kRow + 13 }
        : { x: left - 4, y: i * kRow + 13, 'text-anchor': 'end' }, `${bar.label} ${took} ${word}`));
  });
  return svg('svg', { class: 'timeline', viewBox: `0 0 ${kWidth} ${height}`, role: 'group',
    'aria-label': 'Timeline' }, ...rows);
}

function messageBlock(message) {
  return element('div', { class: `message ${message.role}` },
    element('div', { class: 'dim' }, `${message.role} `, moment(message.created_at)), block(message.text));
}

function actions(session, refresh) {
  const problem = element('span', { role: 'alert', class: 'failed' });
  const act = (work) => async (event) => {
    event.preventDefault();
    try {
      await work();
      refresh();
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const hasEnded = ['completed', 'failed', 'cancelled'].includes(session.status);
  const text = element('input', { 'aria-label': 'Message', placeholder: 'Say more', size: '40' });
  return element('form', { class: 'row', onsubmit: act(async () => {
    await post(`sessions/${session.id}/messages`, { text: text.value });
    text.value = '';
  }) },
  hasEnded && !session.parent_session_id
    ? [text, element('button', { class: 'main' }, 'Send')] : null,
  hasEnded ? null : element('button', { type: 'button',
    onclick: act(() => post(`sessions/${session.id}/cancel`, {})) }, 'Cancel'),
  hasEnded ? element('button', { type: 'button', onclick: act(async () => {
    const fork = await post(`sessions/${session.id}/fork`, {});
    location.hash = `#/sessions/${fork.id}`;
  }) }, 'Fork') : null, problem);
}

export async function sessionView(view, events, id) {
  const head = element('div');
  const speaking = element('pre', { hidden: true, 'aria-live': 'polite' });
  const chart = element('div');
  const detail = element('div', { 'aria-live': 'polite' });
  const waits = element('div');
  const conversation = element('div');
  let known = [];

  const choose = (bar) => detail.replaceChildren(element('article', {},
    element('h2', {}, bar.label), element('p', { class: 'dim' }, moment(bar.from)),
    block(bar.event.data.arguments ?? bar.event.data),
    bar.ended ? block(bar.ended.data.content ?? bar.ended.data.text ?? bar.ended.data) : null));
  const draw = () => chart.replaceChildren(timeline(barsOf(known), choose));

  const load = async () => {
    const [session, messages, open] = await Promise.all([get(`sessions/${id}`),
      get(`sessions/${id}/messages?keep=last&limit=200`), get(`sessions/${id}/waits`)]);
    const usage = session.usage;
    head.replaceChildren(element('h1', {}, session.prompt.slice(0, 300)), element('p', {},
      status(session.status), ` · ${session.agent} · ${session.provider}:${session.model} · `,
      moment(session.started_at), ` · ${duration(session.duration_ms)} · ${usage.input_tokens} tokens in, `
      + `${usage.output_tokens} out${usage.cost_usd ? ` · $${usage.cost_usd.toFixed(4)}` : ''}`),
    session.error ? element('p', { role: 'alert', class: 'failed' }, session.error) : null,
    session.children.length ? element('p', {}, 'Specialists: ', session.children.map((child) => element(
      'a', { href: `#/sessions/${child}` }, `${child} `))) : null, actions(session, load));
    waits.replaceChildren(...open.waits.map((wait) => waitCard(wait, load)));
    conversation.replaceChildren(...messages.messages.map(messageBlock));
  };

  const readEvents = async () => {
    for (let after = 0; ;) {
      const page = await get(`sessions/${id}/events?after=${after}`);
      known.push(...page.events);
      if (page.events.length < 500) return;
      after = page.events.at(-1).sequence;
    }
  };

  view.replaceChildren(head, waits, element('h2', {}, 'Timeline'), chart, detail,
    element('h2', {}, 'Conversation'), conversation, speaking);
  let frame = 0;
  const changed = ({ detail: event }) => {
    const isOurs = event.session_id === id || known.some((each) => each.type === 'child_started'
      && each.data.session_id === event.session_id);
    if (!isOurs || event.sequence <= (known.at(-1)?.sequence ?? 0)) return;
    known.push(event);
    if (event.type === 'text_delta' && event.session_id === id) {
      speaking.hidden = false;
      speaking.textContent += event.data.text;
      return;
    }
    if (['model_ended', 'tool_ended', 'run_ended', 'run_waiting'].includes(event.type)) {
      speaking.hidden = true;
      speaking.textContent = '';
      load();
    }
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  events.addEventListener('event', changed);
  await Promise.all([load(), readEvents()]);
  draw();
  return () => events.removeEventListener('event', changed);
}
