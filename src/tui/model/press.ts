/** What a key does: to the state, and what it asks the world for. Pure. */
import { moved, proposalsShown, entriesSeen, runKeys, withChoices } from './choice.js';
import { stepOf } from './moves.js';
import { pressInOpened } from './press-in-opened.js';
import { isTooSmall, keyOf, type Key, type Pressed, type State } from './state.js';

/** Of keys that came at once only these count: what is pasted must not decide anything. */
const MOVES = 'jkgG';

export function press(before: State, key: Key): Pressed {
  const typing = before.opened?.step.kind === 'reason';
  if (key.name === 'text' && key.text.length > 1 && !typing) {
    const moves = Array.from(key.text);
    if (!moves.every((move) => MOVES.includes(move))) return { state: before, command: null };
    return moves.reduce<Pressed>(({ state }, text) => press(state, { name: 'text', text }), {
      state: before,
      command: null,
    });
  }
  const state = { ...before, notice: null, leaving: false };
  if (key.name === 'interrupt') return quit(before, state);
  if (isTooSmall(state)) return key.text === 'q' ? quit(before, state) : { state, command: null };
  if (state.help) return { state: { ...state, help: false }, command: null };
  if (typing) return pressInOpened(state, key);
  if (key.text === '?') return { state: { ...state, help: true }, command: null };
  if (key.text === 'q') return quit(before, state);
  return state.opened === null ? pressInLists(state, key) : pressInOpened(state, key);
}

/** A decision that was not answered yet may not have arrived. */
function quit(before: State, state: State): Pressed {
  const isUnderWay = [...state.progress.values()].some(({ kind }) => kind === 'under_way');
  if (isUnderWay && !before.leaving) return { state: { ...state, leaving: true }, command: null };
  return { state, command: { kind: 'quit' } };
}

function pressInLists(state: State, key: Key): Pressed {
  const step = stepOf(key, entriesSeen(state));
  if (step !== undefined) return { state: chosen(state, step), command: null };
  if (key.name === 'tab' || key.text === 'h' || key.text === 'l') {
    const pane = state.pane === 'runs' ? 'proposals' : 'runs';
    return { state: { ...state, pane }, command: null };
  }
  if (key.name !== 'enter') return { state, command: null };
  if (state.pane === 'runs') return { state: { ...state, pane: 'proposals' }, command: null };
  const row = proposalsShown(state).find((one) => keyOf(one) === state.proposal.key);
  if (row === undefined) return { state, command: null };
  const opened = {
    ...{ row, detail: null, unreadable: null, decision: null, scroll: 0, edited: null },
    step: { kind: 'read' },
  } as const;
  return { state: { ...state, opened }, command: { kind: 'read', row } };
}

function chosen(state: State, by: number): State {
  if (state.pane === 'proposals') {
    const keys = proposalsShown(state).map(keyOf);
    return { ...state, proposal: moved(state.proposal, keys, by) };
  }
  const run = moved(state.run, runKeys(state), by);
  return withChoices({ ...state, run, proposal: { key: null, index: 0 } });
}
