/** What a key does while a proposal is open. It decides about that one, as it was read, and no other. Pure. */
import type { Decision } from '../../cli/base/proposal-desk.js';
import { utf8Length } from '../../domain/text/untrusted-text.js';
import { plainFile } from '../../domain/supervise/modified-proposal.js';
import { MAX_JUSTIFICATION_BYTES } from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { openedText, ownVersion } from './opened-text.js';
import { stepOf } from './moves.js';
import { bodyHeight, keyOf, type Key, type Opened, type Pressed, type State } from './state.js';

export function pressInOpened(state: State, key: Key): Pressed {
  const { opened } = state;
  if (opened === null) return { state, command: null };
  switch (opened.step.kind) {
    case 'reason':
      return pressInReason(state, opened, opened.step.text, key);
    case 'confirm': {
      const { decision } = opened.step;
      if (key.text === 'y') return sent(state, opened, decision);
      const edits = key.text === 'm' ? edit(state, opened) : undefined;
      if (edits !== undefined) return edits;
      const by = stepOf(key, bodyHeight(state));
      if (by !== undefined) return scrolled(state, opened, by);
      return change(state, opened, { step: { kind: 'read' } });
    }
    case 'read':
      return pressInRead(state, opened, key);
  }
}

function pressInRead(state: State, opened: Opened, key: Key): Pressed {
  const by = stepOf(key, bodyHeight(state));
  if (by !== undefined) return scrolled(state, opened, by);
  if (key.name === 'escape' || key.name === 'backspace') return closed(state, opened);
  const mayHaveNetwork = opened.row.tool === 'capability-block';
  if (!['a', 'm', 'r', ...(mayHaveNetwork ? ['n'] : [])].includes(key.text)) return { state, command: null };
  const why = whyNot(state, opened);
  if (why !== null) return { state: { ...state, notice: why }, command: null };
  if (key.text === 'm') return edit(state, opened) ?? { state, command: null };
  if (key.text === 'r') return change(state, opened, { step: { kind: 'reason', text: '' } });
  const own = ownVersion(opened);
  if (own !== null && key.text === 'n')
    return {
      state: { ...state, notice: 'your version is built without a network: a approves it' },
      command: null,
    };
  return change(state, opened, { step: { kind: 'confirm', decision: approval(own, key.text === 'n') } });
}

/** Of what stands on the screen: the operator's own version where there is one. */
function approval(own: ShownProposal | null, withNetwork: boolean): Decision {
  if (own !== null) return { verdict: 'modify', modified: own, notes: null };
  return { verdict: 'approve', notes: null, ...(withNetwork ? { withNetwork } : {}) };
}

/** Why nothing can be decided; `null` when it can. */
function whyNot({ progress }: State, opened: Opened): string | null {
  if (opened.decision !== null) return 'it is decided already';
  if (progress.get(keyOf(opened.row))?.kind === 'under_way') return 'your decision is under way';
  // What could not be shown must not be agreed to.
  return opened.detail === null ? 'it is not read yet' : null;
}

function pressInReason(state: State, opened: Opened, text: string, key: Key): Pressed {
  const typed = (more: string): Pressed => change(state, opened, { step: { kind: 'reason', text: more } });
  switch (key.name) {
    case 'escape':
      return change(state, opened, { step: { kind: 'read' } });
    case 'backspace':
      return typed(withTyped(text, '\b'));
    case 'text': {
      const more = withTyped(text, key.text);
      return utf8Length(more) > MAX_JUSTIFICATION_BYTES ? typed(text) : typed(more);
    }
    case 'enter':
      if (text.trim() === '')
        return { state: { ...state, notice: 'the agent is told the reason: type one' }, command: null };
      return sent(state, opened, { verdict: 'reject', notes: text.trim() });
    default:
      return { state, command: null };
  }
}

/** @param typed also several keys that came at once, as over a slow line or from a key that is held down */
function withTyped(text: string, typed: string): string {
  const points = Array.from(text);
  for (const key of typed.replace(/(?:(?![\b\u007f])[\p{Cc}\p{Zl}\p{Zp}])+/gu, ' '))
    if (key === '\b' || key === '\u007f') points.pop();
    else points.push(key);
  return points.join('');
}

function edit(state: State, opened: Opened): Pressed | undefined {
  const { row, detail, edited, decision } = opened;
  if (detail === null || decision !== null) return undefined;
  const text = edited?.text ?? plainFile(detail.shown);
  return { state, command: { kind: 'edit', row, shown: detail.shown, text } };
}

function sent(
  state: State,
  opened: Opened,
  decision: Extract<Opened['step'], { kind: 'confirm' }>['decision'],
): Pressed {
  const { row } = opened;
  const why = whyNot(state, opened);
  const { state: next } = change(state, opened, { step: { kind: 'read' } });
  if (why !== null) return { state: { ...next, notice: why }, command: null };
  return { state: next, command: { kind: 'decide', row, decision } };
}

function closed(state: State, { edited, row }: Opened): Pressed {
  const isSent = state.progress.has(keyOf(row));
  const notice = edited === null || isSent ? null : `your version, not sent, is ${edited.path}`;
  return { state: { ...state, opened: null, notice }, command: null };
}

function scrolled(state: State, opened: Opened, by: number): Pressed {
  const last = Math.max(0, openedText(opened, state).length - bodyHeight(state));
  const scroll = Math.max(0, Math.min(last, Math.min(last, opened.scroll) + by));
  return change(state, opened, { scroll });
}

function change(state: State, opened: Opened, to: Partial<Opened>): Pressed {
  return { state: { ...state, opened: { ...opened, ...to } }, command: null };
}
