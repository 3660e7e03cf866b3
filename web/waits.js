// What waits for a person: questions as forms, approvals with what they would touch.
import { block, diff, element, get, post } from './platform.js';

function field(question) {
  const name = { name: question.id, 'aria-label': question.question };
  const preset = question.default;
  switch (question.type ?? 'text') {
    case 'boolean': return element('input', { ...name, type: 'checkbox', checked: preset === true });
    case 'number': return element('input', { ...name, type: 'number', step: 'any', value: preset });
    case 'password': return element('input', { ...name, type: 'password', autocomplete: 'off' });
    case 'email': return element('input', { ...name, type: 'email', value: preset });
    case 'url': return element('input', { ...name, type: 'url', value: preset });
    case 'select': case 'multiselect': {
      const chosen = [preset].flat();
      return element('select', { ...name, multiple: question.type === 'multiselect' },
        (question.options ?? []).map((option) => element('option', {
          selected: chosen.includes(option) }, option)));
    }
    default: return element('input', { ...name, type: 'text', value: preset, size: '40' });
  }
}

function answerOf(question, input) {
  switch (question.type ?? 'text') {
    case 'boolean': return input.checked;
    case 'number': return input.value === '' ? null : Number(input.value);
    case 'multiselect': return [...input.selectedOptions].map((option) => option.value);
    default: return input.value;
  }
}

function questionForm(wait, answer) {
  const questions = wait.shown.questions ?? [];
  const inputs = questions.map(field);
  return element('form', { onsubmit: (event) => {
    event.preventDefault();
    const responses = questions.map((question, i) => ({
      question_id: question.id, answer: answerOf(question, inputs[i]) }))
      .filter(({ answer: given }, i) => !(questions[i].optional && (given === '' || given === null)));
    answer({ responses });
  } }, wait.shown.prompt ? element('p', {}, wait.shown.prompt) : null,
  questions.map((question, i) => element('p', {}, element('label', {}, question.question, ' ', inputs[i]),
    question.description ? element('span', { class: 'dim' }, ` ${question.description}`) : null)),
  element('button', { class: 'main' }, 'Answer'));
}

function approvalForm(wait, answer) {
  const { diff: change, commands, ...others } = wait.shown ?? {};
  const reason = element('input', { 'aria-label': 'Reason', placeholder: 'Why not' });
  const decide = (decision, word, main) => element('button', { type: 'button', class: main,
    onclick: () => answer({ decision, reason: reason.value }) }, word);
  return element('div', {},
    change ? diff(String(change)) : null,
    (commands ?? []).map((each) => element('p', {}, element('code', {}, each.command ?? ''),
      ` ${each.permission ?? ''} ${each.reason ?? ''}`)),
    Object.keys(others).length ? block(others) : null,
    element('div', { class: 'row' }, decide('once', 'Allow once', 'main'),
      decide('session', 'Allow in this session'), reason, decide('refuse', 'Refuse'),
      decide('never', 'Never in this session')));
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

export function waitCard(wait, done) {
  const problem = element('p', { role: 'alert', class: 'failed' });
  const answer = async (given) => {
    try {
      await post(`waits/${wait.id}/answer`, { answer: given });
      done();
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  return element('article', {}, element('h2', {}, `${wait.tool ?? ''} · ${wait.kind} · `,
    element('a', { href: `#/sessions/${wait.root_session_id ?? wait.session_id}` },
      `session ${wait.root_session_id ?? wait.session_id}`)),
  kForms[wait.kind](wait, answer), problem);
}

export async function waitsView(view, events) {
  const list = element('div');
  // A form that somebody fills in stays as it is.
  const cards = new Map();
  const load = async () => {
    const { waits } = await get('waits');
    const open = new Set(waits.map((wait) => wait.id));
    for (const [id, card] of cards) {
      if (open.has(id)) continue;
      card.remove();
      cards.delete(id);
    }
    for (const wait of waits) {
      if (cards.has(wait.id)) continue;
      cards.set(wait.id, waitCard(wait, load));
      list.append(cards.get(wait.id));
    }
    empty.hidden = waits.length > 0;
  };
  const empty = element('p', { class: 'dim' }, 'Nothing waits for a person.');
  view.replaceChildren(element('h1', {}, 'Waits'), empty, list);
  await load();
  const changed = (event) => {
    if (['run_waiting', 'run_ended', 'tool_started'].includes(event.detail.type)) load();
  };
  events.addEventListener('event', changed);
  return () => events.removeEventListener('event', changed);
}
