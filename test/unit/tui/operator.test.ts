import assert from 'node:assert/strict';
import type { EditedText } from '../../../src/cli/base/deps.js';
import type { DashboardDesk } from '../../../src/cli/base/orchestrator.js';
import { operator, type Operator } from '../../../src/tui/operator.js';
import type { State } from '../../../src/tui/model/state.js';
import { Store } from '../../../src/tui/store.js';
import { until } from '../../support/bundle/until.js';
import { detail, openedState, proposal } from './some-state.js';

const AGENTS = 'pypi.org\nfiles.example\n';

describe('an operator’s own version', () => {
  let given: string[];
  let removed: string[];
  let edits: ((text: string) => string)[];
  let store: Store;
  let keys: Operator;

  beforeEach(() => {
    [given, removed, edits] = [[], [], []];
    store = new Store(openedState());
    const edit = (_name: string, text: string): Promise<EditedText> => {
      const path = `/tmp/mine-${String(given.push(text))}`;
      const remove = (): Promise<void> => Promise.resolve(void removed.push(path));
      return Promise.resolve({ text: edits.shift()?.(text) ?? text, path, remove });
    };
    const desk = {
      proposal: () => Promise.resolve(detail),
      decide: () => Promise.resolve({ kind: 'decided', slug: 'a', status: 'modified', effect: 'now' }),
    } as Partial<DashboardDesk> as DashboardDesk;
    const quit = (): void => undefined;
    keys = operator({ desk, edit }, store, { quit, aside: (work) => work() });
  });

  const type = (...texts: string[]): void => {
    for (const text of texts) keys.press({ name: 'text', text });
  };
  const becomes = (is: (state: State) => boolean): Promise<true> =>
    until('the state', () => is(store.state()) || undefined);

  it('is where editing goes on after the proposal was left and opened again', async () => {
    edits.push(() => 'own.example\n');
    type('m');
    await becomes(({ opened }) => opened?.step.kind === 'confirm');
    type('x');
    keys.press({ name: 'escape', text: '' });
    assert.match(store.state().notice ?? '', /\/tmp\/mine-1/);
    keys.press({ name: 'enter', text: '' });
    await becomes(({ opened }) => opened?.detail !== null);
    type('m');
    await becomes(({ opened }) => opened?.step.kind === 'confirm');
    assert.deepEqual(given, [AGENTS, 'own.example\n']);
    assert.equal(store.state().opened?.edited?.text, 'own.example\n');
    assert.deepEqual(removed, ['/tmp/mine-1'], 'the same text is in another file');
    assert.deepEqual(keys.kept(), [
      `your version of ${proposal(1).id.slice(0, 8)} of a is kept: /tmp/mine-2`,
    ]);
  });

  it('is none when nothing was changed', async () => {
    type('m');
    await becomes(({ notice }) => notice?.includes('you changed nothing') ?? false);
    assert.deepEqual([removed, keys.kept()], [['/tmp/mine-1'], []]);
  });

  it('is kept until it has arrived', async () => {
    edits.push(() => 'own.example\n');
    type('m');
    await becomes(({ opened }) => opened?.step.kind === 'confirm');
    assert.equal(keys.kept().length, 1);
    type('y');
    await becomes(({ progress }) => [...progress.values()].some(({ kind }) => kind === 'done'));
    assert.deepEqual([removed, keys.kept()], [['/tmp/mine-1'], []]);
  });
});
