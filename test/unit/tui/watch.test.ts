import assert from 'node:assert/strict';
import type { DashboardDesk } from '../../../src/cli/base/orchestrator.js';
import { Store } from '../../../src/tui/store.js';
import { watch } from '../../../src/tui/watch.js';
import { until } from '../../support/bundle/until.js';
import { detail, openedState, proposal, someState } from './some-state.js';

describe('what the dashboard watches', () => {
  it('is read again after it could not be read, at the pace of the rows', async () => {
    const waiting = [proposal(1), proposal(2)];
    let [asked, rows] = [0, 0];
    const desk = {
      overview: () => Promise.resolve([]),
      waiting: () => Promise.resolve(((rows += 1), waiting)),
      live: () => Promise.resolve(null),
      proposal: () => ((asked += 1) <= 2 ? Promise.reject(new Error('locked')) : Promise.resolve(detail)),
    } as Partial<DashboardDesk> as DashboardDesk;
    const store = new Store(someState([]));
    const seen: string[] = [];
    store.subscribe(() => seen.push(store.state().effects.get(waiting[0]?.ref ?? '') ?? ''));
    const ended = new AbortController();
    const watching = watch(desk, store, ended.signal);
    try {
      const effects = (): readonly string[] => [...store.state().effects.values()];
      await until('the effects', () =>
        effects().filter((effect) => effect.includes('files.example')).length === 2 ? true : undefined,
      );
      assert.ok(seen.includes('cannot be read'));
      assert.ok(asked <= 2 * rows + 2, `${String(asked)} reads at ${String(rows)} times`);
    } finally {
      ended.abort();
      await watching;
    }
  });

  it('is told with what was said when somebody decides what is open', async () => {
    const decision = { slug: 'a', id: '1', status: 'rejected', who: 'bob@desk', at: 0 } as const;
    const decided = { ...proposal(1), decision: { ...decision, ref: null, notesRef: 'n' } };
    const desk = {
      overview: () => Promise.resolve([]),
      waiting: () => Promise.resolve([]),
      live: () => Promise.resolve(null),
      findProposals: () => Promise.resolve([decided]),
      proposal: (row: typeof decided) =>
        Promise.resolve({ ...detail, notes: row.decision.notesRef === 'n' ? 'use the mirror' : null }),
    } as Partial<DashboardDesk> as DashboardDesk;
    const store = new Store(openedState());
    const ended = new AbortController();
    const watching = watch(desk, store, ended.signal);
    try {
      await until('the decision', () => store.state().opened?.decision ?? undefined);
      assert.equal(store.state().opened?.detail?.notes, 'use the mirror');
    } finally {
      ended.abort();
      await watching;
    }
  });
});
