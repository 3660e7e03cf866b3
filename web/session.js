// One session: its timeline, its conversation, its calls, and what can be done with it.
import { block, count, detailOf, diff, dollars, duration, element, get, messageOf, moment, post,
  readable, soon, status, visible } from './platform.js';
import { exchange } from './exchange.js';
import { showReplay } from './replay.js';
import { Rows, Timeline } from './timeline.js';
import { WaitCards } from './waits.js';

const kPage = 500;
const kMessages = 100;

function pairs(...rows) {
  return element('dl', { class: 'facts' }, rows.filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

// What interceptors noted stands in the result of a tool; a person reads it beside.
function resultParts(content) {
  let value = content;
  if (typeof content === 'string' && content.length < 2e6) {
    try { value = JSON.parse(content); } catch { /* a text */ }
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { result: readable(content) };
  const { _execution_metadata: notes, ...rest } = value;
  return { result: JSON.stringify(rest, null, 2), notes, change: typeof rest.diff === 'string' ? rest.diff : null };
}

async function toolDetail(row) {
  const asked = row.event.data;
  const ended = row.ended;
  const call = await get(`sessions/${row.session}/calls/${encodeURIComponent(asked.call_id)}`).catch(() => null);
  const answer = call?.error ?? (ended?.is_cut && call ? call.response : ended?.data.content ?? call?.response);
  const { result, notes, change } = resultParts(answer);
  return [
    pairs(['Status', status(call?.status ?? row.state)],
      ['Took', duration(ended?.data.duration_ms ?? call?.execution_time_ms)],
      ['Call', asked.call_id ?? '']),
    element('h3', {}, 'Arguments'), block(readable(asked.arguments ?? call?.arguments ?? asked.shown ?? {})),
    change ? [element('h3', {}, 'Change'), diff(change)] : null,
    answer !== null && answer !== undefined
      ? [element('h3', {}, call?.error ? 'Error' : 'Result'), block(result)] : null,
    notes ? [element('h3', {}, 'Notes'), block(notes)] : null];
}

function modelDetail(row, turn) {
  const { usage = {}, text, duration_ms: took } = row.ended?.data ?? {};
  return [
    pairs(['Took', duration(took)], ['Input', usage.input_tokens ? `${count(usage.input_tokens)} tokens` : ''],
      ['From cache', usage.cached_tokens ? `${count(usage.cached_tokens)} tokens` : ''],
      ['Output', usage.output_tokens ? `${count(usage.output_tokens)} tokens` : ''],
      ['Reasoning', usage.reasoning_tokens ? `${count(usage.reasoning_tokens)} tokens` : ''],
      ['Cost', dollars(usage.cost_usd)]),
    row.retries.map((retry) => element('p', { class: 'waiting' },
      `Tried again after ${retry.data.wait_ms} ms: ${retry.data.error?.message ?? ''}`)),
    text ? [element('h3', {}, 'Text'), block(text)] : element('p', { class: 'dim' }, row.to ? 'No text: it called tools.' : 'It still answers.'),
    row.ended && turn ? exchange(row, turn) : null];
}

function messageBlock(message, fork) {
  const parts = message.message?.parts ?? [];
  const calls = parts.filter((part) => part.type === 'tool_call');
  const isTool = message.role === 'tool';
  const shownText = (of) => block(isTool ? readable(of.message?.parts?.[0]?.content ?? of.text) : of.text);
  const text = message.text ? element('div', {}, shownText(message)) : null;
  if (message.is_cut && text) {
    text.append(element('button', { type: 'button', onclick: async () => {
      const page = await get(`sessions/${message.session_id}/messages?after=${message.id - 1}&limit=1`);
      text.replaceChildren(shownText(page.messages[0]));
    } }, 'Load the whole text'));
  }
  return element('div', { class: `message ${message.role}` },
    element('div', { class: 'row dim' }, element('b', {}, isTool ? `tool ${parts[0]?.name ?? ''}` : message.role),
      moment(message.created_at),
      message.is_told ? element('span', { class: 'waiting' }, 'told by the caller: nothing of it happened here') : null,
      element('span', { class: 'grow' }),
      element('button', { type: 'button', class: 'quiet', onclick: () => fork(message.id),
        title: 'A new session that begins with everything up to here' }, 'Fork here')),
    isTool ? element('details', {}, element('summary', {}, `${count(message.text.length)} characters${message.is_cut ? ' and more' : ''}`), text) : text,
    calls.map((call) => element('details', {}, element('summary', {}, message.is_told ? 'is said to have called ' : 'calls ', element('code', {}, call.name)),
      block(readable(call.arguments)))));
}

function save(name, json) {
  const address = URL.createObjectURL(new Blob([JSON.stringify(json, null, 2)], { type: 'application/json' }));
  element('a', { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

// Buttons and the line to say more; the same elements for as long as they fit.
function actions(session, refresh, replayed) {
  const problem = element('span', { role: 'alert', class: 'failed' });
  const act = (work) => async (event) => {
    event?.preventDefault();
    problem.textContent = '';
    try {
      await work();
      refresh();
    } catch (error) {
      problem.textContent = visible(messageOf(error));
    }
  };
  const hasEnded = ['completed', 'failed', 'cancelled'].includes(session.status);
  const path = `sessions/${session.id}`;
  const button = (word, work, shown = true) => (shown
    ? element('button', { type: 'button', onclick: act(work) }, word) : null);
  const text = element('input', { 'aria-label': 'Message', placeholder: 'Say more', class: 'grow' });
  const more = hasEnded && !session.parent_session_id;
  return element('form', { class: 'row', onsubmit: act(async () => {
    await post(`${path}/messages`, { text: text.value });
    text.value = '';
  }) },
  more ? [text, element('button', { class: 'main' }, 'Send')] : null,
  button('Cancel', () => post(`${path}/cancel`, {}), !hasEnded),
  button('Resume', () => post(`${path}/resume`, {}), ['failed', 'cancelled'].includes(session.status) && more),
  button('Fork', async () => {
    location.hash = `#/sessions/${(await post(`${path}/fork`, {})).id}`;
  }, more),
  button('Replay', async () => showReplay(replayed, await post(`${path}/replay`, {})), hasEnded),
  button('Save as JSON', async () => save(`session-${session.id}.json`, await get(`${path}/export`))), problem);
}

// What it has used, and what of how much it may use.
function used({ usage }, limits) {
  const tokens = usage.input_tokens + usage.output_tokens;
  const meter = (of, most, words) => (most ? [words, ' ', element('meter', { max: String(most), high: String(most * 0.8),
    value: String(of), 'aria-label': words })] : words);
  return [element('span', {}, meter(tokens, limits?.tokens, `${count(usage.input_tokens)} tokens in, ${
    count(usage.output_tokens)} out${limits?.tokens ? ` of ${count(limits.tokens)}` : ''}`)),
  usage.cost_usd || limits?.cost_usd ? element('span', {}, meter(usage.cost_usd, limits?.cost_usd,
    `${dollars(usage.cost_usd) || '$0'}${limits?.cost_usd ? ` of ${dollars(limits.cost_usd)}` : ''}`)) : null];
}

function heading(session, limits) {
  const link = (id, word) => element('a', { href: `#/sessions/${id}` }, `${word} ${id}`);
  return [
    element('h1', {}, session.prompt.slice(0, 300)),
    element('p', { class: 'facts-line' }, status(session.status), element('span', {}, session.agent),
      element('span', {}, `${session.provider}:${session.model}`), moment(session.started_at),
      session.duration_ms === null ? null : element('span', {}, duration(session.duration_ms)),
      used(session, limits),
      session.parent_session_id ? link(session.parent_session_id, 'specialist of') : null,
      session.forked_from ? link(session.forked_from, 'fork of') : null),
    session.limit ? element('p', { class: 'failed' }, `A limit of its agent has stopped it: ${session.limit}.`) : null,
    session.error ? element('p', { role: 'alert', class: 'failed' }, session.error) : null,
    session.cancel_reason ? element('p', { class: 'failed' }, session.cancel_reason) : null];
}

/** @param {HTMLElement} view @param {import('./platform.js').Events} events @param {number} id */
export async function sessionView(view, events, id) {
  const head = element('div');
  const doing = element('div');
  const waits = element('div');
  const replayed = element('section', { 'aria-live': 'polite', hidden: true });
  const detail = element('aside', { 'aria-label': 'Details', 'aria-live': 'polite', hidden: true });
  const conversation = element('div');
  const older = element('button', { type: 'button', hidden: true }, 'Earlier messages');
  const speaking = element('pre', { class: 'speaking', hidden: true, 'aria-live': 'polite', tabindex: '0' });
  const rows = new Rows(id);

  let chosen = null;
  const choose = async (row) => {
    chosen = row;
    const turns = rows.inOrder().filter((each) => each.kind === 'model' && each.session === row.session && each.ended);
    const parts = row.kind === 'model' ? modelDetail(row, turns.indexOf(row) + 1) : await toolDetail(row);
    if (chosen !== row) return;  // another was chosen meanwhile
    detail.hidden = false;
    detail.replaceChildren(element('article', {},
      element('div', { class: 'row' }, element('h2', { class: 'grow' }, row.label),
        element('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => {
          detail.hidden = true;
        } }, '✕')),
      element('p', { class: 'dim' }, moment(row.from),
        row.child ? [' · ', element('a', { href: `#/sessions/${row.child}` }, `session ${row.child}`)] : null),
      element('div', {}, parts)));
  };
  const timeline = new Timeline(choose);
  const draw = soon(() => timeline.show(rows.inOrder()), 100);

  const trouble = element('p', { role: 'alert', class: 'failed' });
  const fork = async (message) => {
    try {
      const made = await post(`sessions/${id}/fork`, { message_id: message });
      location.hash = `#/sessions/${made.id}`;
    } catch (error) {
      trouble.textContent = visible(messageOf(error));
      trouble.scrollIntoView({ block: 'nearest' });
    }
  };
  const shown = new Map();  // messages by id: those that are there stay
  const place = (messages, isOlder) => {
    const made = messages.filter((message) => !shown.has(message.id)).map((message) => {
      shown.set(message.id, messageBlock(message, fork));
      return shown.get(message.id);
    });
    if (isOlder) conversation.prepend(...made);
    else conversation.append(...made);
    if (isOlder || shown.size === messages.length) older.hidden = messages.length < kMessages;
  };
  older.addEventListener('click', async () => {
    const before = Math.min(...shown.keys());
    const page = await get(`sessions/${id}/messages?texts=short&keep=last&limit=${kMessages}&before=${before}`);
    place(page.messages, true);
  });

  const cards = new WaitCards(waits, () => get(`sessions/${id}/waits`));
  let before = '';
  let limits;  // of its agent; null where that is not to be had
  const load = async () => {
    const last = Math.max(0, ...shown.keys());
    const [session, page] = await Promise.all([get(`sessions/${id}?texts=short`),
      get(`sessions/${id}/messages?texts=short&${last ? `after=${last}` : 'keep=last'}&limit=${kMessages}`), cards.load()]);
    limits ??= await get(`agents/${encodeURIComponent(session.agent)}`).then((agent) => agent.limits, () => null) ?? null;
    head.replaceChildren(...heading(session, limits).filter((each) => each !== null));
    if (session.status !== before) doing.replaceChildren(actions(session, load, replayed));
    before = session.status;
    place(page.messages, false);
  };

  const all = async (what) => {
    const found = [];
    for (;;) {
      const last = found.length ? `&after=${found.at(-1).id}` : '';
      const page = (await get(`sessions/${id}/${what}?texts=short&limit=${kPage}${last}`))[what];
      for (const each of page) found.push(each);
      if (page.length < kPage) return found;
    }
  };
  const readStored = async () => {
    const session = await get(`sessions/${id}?texts=short`);
    if (session.started_at > rows.first - 1000) return;  // events tell all of it
    const [messages, calls, { sessions }] = await Promise.all([all('messages'), all('calls'),
      get(`sessions?parent=${id}&limit=${kPage}`)]);
    rows.addStored(messages.filter((message) => !message.is_told), calls, sessions);
  };
  const early = [];  // what happens while the past is read
  let isRead = false;
  const readEvents = async () => {
    for (;;) {
      const page = await get(`sessions/${id}/events?after=${rows.last}`);
      for (const event of page.events) rows.add(event);
      if (!page.has_more) break;
      draw();  // a long session shows itself while it is read
    }
    await readStored();
    isRead = true;
    for (const event of early) take(event);
  };
  const reload = soon(load);
  const take = (event) => {
    if (!isRead) return early.push(event);
    if (!rows.has(event.session_id) || event.sequence <= rows.last) return null;
    rows.add(event);
    if (event.session_id === id && event.type === 'text_delta') {
      speaking.hidden = false;
      speaking.append(visible(event.data.text));
      return null;
    }
    if (['model_ended', 'tool_ended', 'run_ended', 'run_waiting', 'session_started'].includes(event.type)) {
      if (event.session_id === id) {
        speaking.hidden = true;
        speaking.replaceChildren();
      }
      reload();
    }
    return draw();
  };
  /** @param {Event} event */
  const changed = (event) => take(detailOf(event));

  view.replaceChildren(head, doing, replayed, waits, element('h2', {}, 'Timeline'),
    element('div', { class: 'with-detail' }, timeline.element, detail),
    element('h2', {}, 'Conversation'), trouble, older, conversation, speaking);
  events.addEventListener('event', changed);
  const leave = () => {
    draw.stop();
    reload.stop();
    clearInterval(ticking);
    timeline.watch.disconnect();
    events.removeEventListener('event', changed);
  };
  // What still runs grows; and other processes may drive it, which send no events.
  let ticks = 0;
  const ticking = setInterval(() => {
    if (document.hidden || !['running', 'waiting', 'queued'].includes(before)) return;
    if (before === 'running') draw();
    if (++ticks % 5 === 0) reload();
  }, 1000);
  try {
    await Promise.all([load(), readEvents()]);
  } catch (error) {
    leave();
    throw error;
  }
  timeline.show(rows.inOrder());
  return leave;
}
