// What waits for a person: questions as forms, approvals with what they would touch.
import { block, diff, element, get, messageOf, moment, post, soon, visible } from './platform.js';

const kInputs = { number: 'number', password: 'password', email: 'email', url: 'url' };

function field(question, id) {
  const { validation: rules = {}, default: preset } = question;
  const type = question.type ?? 'text';
  const common = { id, name: question.id, 'aria-describedby': `${id}-more` };
  const chosen = [preset].flat();
  switch (type) {
    case 'boolean': return element('input', { ...common, type: 'checkbox', checked: preset === true });
    case 'multiselect': return element('div', { id, role: 'group', class: 'choices' },
      (question.options ?? []).map((option) => element('label', {}, element('input', {
        type: 'checkbox', value: option, checked: chosen.includes(option) }), ' ', option)));
    case 'select': return element('select', common,
      chosen.includes(undefined) ? element('option', { value: '' }, '— choose —') : null,
      (question.options ?? []).map((option) => element('option', {
        value: option, selected: chosen.includes(option) }, option)));
    default: return element('input', { ...common, type: kInputs[type] ?? 'text', class: 'grow',
      value: preset === undefined || preset === null ? undefined : String(preset),
      step: type === 'number' ? 'any' : undefined, min: rules?.min_value, max: rules?.max_value,
      minlength: rules?.min_length, maxlength: rules?.max_length,
      autocomplete: 'off', spellcheck: type === 'text' ? 'true' : 'false',
      placeholder: type === 'file_path' ? 'path/to/file' : undefined });
  }
}

function answerOf(question, input) {
  switch (question.type ?? 'text') {
    case 'boolean': return input.checked;
    case 'number': return input.value === '' ? null : Number(input.value);
    case 'multiselect': return [...input.querySelectorAll('input:checked')].map((each) => each.value);
    default: return input.value;
  }
}

// What stands in an input is the answer, and stays as it is.
function hiddenIn(preset) {
  if (typeof preset !== 'string' || visible(preset) === preset) return null;
  return element('span', { class: 'waiting' }, ` What is filled in has characters that cannot be seen: ${preset}`);
}

const isBlank = (given) => given === '' || given === null || (Array.isArray(given) && !given.length);

function questionForm(wait, answer) {
  const questions = wait.shown?.questions;
  if (!Array.isArray(questions)) return resultForm(wait, answer);
  const ids = questions.map((_, i) => `wait-${wait.id}-${i}`);
  const inputs = questions.map((question, i) => field(question, ids[i]));
  return element('form', { class: 'questions', onsubmit: (event) => {
    event.preventDefault();
    const responses = questions.map((question, i) => ({
      question_id: question.id, answer: answerOf(question, inputs[i]) }))
      .filter(({ answer: given }) => !isBlank(given));
    answer({ responses });
  } }, wait.shown.prompt ? element('p', {}, wait.shown.prompt) : null,
  questions.map((question, i) => {
    const isGroup = question.type === 'multiselect';
    const label = element(isGroup ? 'span' : 'label', { id: `${ids[i]}-label`, for: isGroup ? undefined : ids[i] },
      question.question, question.optional ? element('span', { class: 'dim' }, ' (optional)') : null);
    if (isGroup) inputs[i].setAttribute('aria-labelledby', `${ids[i]}-label`);
    return element('div', { class: 'field' }, label, inputs[i],
      element('span', { class: 'dim', id: `${ids[i]}-more` }, question.description ?? '', hiddenIn(question.default)));
  }),
  element('button', { class: 'main' }, 'Answer'));
}

function approvalForm(wait, answer) {
  const shown = wait.shown ?? {};
  const { diff: change, commands, tool, arguments: given, reason: why, problem, ...others } = shown;
  const reason = element('input', { 'aria-label': 'Reason', placeholder: 'Why not (optional)' });
  const decide = (decision, word, kind) => element('button', { type: 'button', class: kind,
    onclick: () => answer({ decision, reason: reason.value }) }, word);
  return element('div', {},
    why ? element('p', {}, String(why)) : null,
    Array.isArray(commands) && commands.length ? [element('h3', {}, 'It would run'),
      element('ul', { class: 'commands' }, commands.map((each) => element('li', {},
        element('span', { class: `permission ${each.permission ?? ''}` }, each.permission ?? '?'), ' ',
        element('code', {}, each.command ?? JSON.stringify(each)),
        each.reason ? element('div', { class: 'dim' }, each.reason) : null)))] : null,
    change ? [element('h3', {}, 'It would change'), diff(String(change))] : null,
    given !== undefined ? element('details', { open: !change && !commands },
      element('summary', {}, 'Arguments'), block(given)) : null,
    Object.keys(others).length ? block(others) : null,
    problem ? element('p', { class: 'waiting' }, String(problem)) : null,
    element('div', { class: 'row' }, decide('once', 'Allow once', 'main'),
      decide('session', 'Allow in this session'), decide('refuse', 'Refuse'),
      decide('never', 'Never in this session'), reason));
}

function resultForm(wait, answer) {
  const text = element('textarea', { 'aria-label': 'Result' });
  return element('form', { onsubmit: (event) => {
    event.preventDefault();
    let value = text.value;
    try { value = JSON.parse(text.value); } catch { /* a text */ }
    answer(value);
  } }, block(wait.shown), text, element('button', { class: 'main' }, 'Give the result'));
}

const kForms = { question: questionForm, approval: approvalForm, result: resultForm };
const kTitles = { question: 'asks', approval: 'needs your approval', result: 'waits for a result' };

export function waitCard(wait, done) {
  const problem = element('p', { role: 'alert', class: 'failed' });
  const session = wait.root_session_id ?? wait.session_id;
  const answer = async (given) => {
    try {
      await post(`waits/${wait.id}/answer`, { answer: given });
      done();
    } catch (error) {
      problem.textContent = visible(messageOf(error));
    }
  };
  return element('article', { class: `wait ${wait.kind}` }, element('h2', {}, `${wait.tool ?? 'A tool'} ${kTitles[wait.kind]}`),
    element('p', { class: 'dim' }, element('a', { href: `#/sessions/${session}` }, `session ${session}`),
      ` · ${wait.agent ?? ''} · since `, moment(wait.created_at),
      wait.expires_at ? [' · until ', moment(wait.expires_at)] : null),
    wait.status === 'expired'
      ? [block(wait.shown), element('p', { class: 'waiting' }, 'The time to answer is over: resume the session.')]
      : kForms[wait.kind](wait, answer), problem);
}

// Cards of what waits; a form that somebody fills in stays as it is.
export class WaitCards {
  #cards = new Map();
  constructor(place, read) {
    this.place = place;
    this.read = read;
  }

  async load() {
    const { waits } = await this.read();
    const open = new Set(waits.map((wait) => wait.id));
    for (const [id, card] of this.#cards) {
      if (open.has(id)) continue;
      card.remove();
      this.#cards.delete(id);
    }
    for (const wait of waits) {
      if (this.#cards.has(wait.id)) continue;
      this.#cards.set(wait.id, waitCard(wait, () => this.load()));
      this.place.append(this.#cards.get(wait.id));
    }
    return waits.length;
  }
}

/** @param {HTMLElement} view @param {import('./platform.js').Events} events */
export async function waitsView(view, events) {
  const list = element('div');
  const empty = element('p', { class: 'dim' }, 'Nothing waits for a person.');
  const cards = new WaitCards(list, async () => {
    const page = await get('waits');
    empty.hidden = page.waits.length > 0;
    return page;
  });
  view.replaceChildren(element('h1', {}, 'Waits'), empty, list);
  await cards.load();
  const reload = soon(() => cards.load());
  const changed = (event) => {
    if (['run_waiting', 'run_ended', 'tool_started'].includes(event.detail.type)) reload();
  };
  events.addEventListener('event', changed);
  return () => {
    reload.stop();
    events.removeEventListener('event', changed);
  };
}
