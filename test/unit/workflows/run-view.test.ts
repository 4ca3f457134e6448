import assert from 'node:assert/strict';
import { outcomeWithoutRun } from '../../../src/domain/sync/sync.js';
import { detailsOf, detailsOfSync, outcomeOf, viewOf } from '../../../src/workflows/run-view.js';
import {
  done,
  modelReport,
  observed,
  POLICY,
  PUBLISHED,
  SUBJECT,
  trigger,
  World,
} from '../../support/machine/world.js';

describe('what others see of a run', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
    world.now = Date.parse('2026-01-02T03:04:05Z');
  });
  function begin(): void {
    world.feed(observed({ readAt: 1, trigger: trigger(5, { agent: 'coder' }) }));
    world.start();
  }
  /** Which publishes pull request 13. */
  function endTurn(): void {
    world.endTurn({ done, model: modelReport(100, 1.5), sessionId: 'session' }, { publish: PUBLISHED });
  }

  it('is next to nothing before the first', () => {
    assert.deepEqual(viewOf(world.state), {
      ...{ subject: SUBJECT, slug: null, phase: 'idle', reason: null, detail: null, turn: 0, host: null },
      ...{ hostSilentSince: null, epoch: 0, agent: null, prs: [], sessionId: null, mailbox: 0 },
      ...{ proposals: 0, watchdogFired: false, lastTurn: null, resumeAt: null },
      spent: { turns: 0, tokens: 0, microUsd: 0 },
      budget: POLICY.budget,
    });
    assert.equal(outcomeOf(world.state), null);
  });

  it('is who works where on what, while it runs', () => {
    begin();
    const view = viewOf(world.state);
    assert.deepEqual(
      [view.phase, view.turn, view.host, view.agent, view.prs, view.slug],
      ['running', 1, 'h1', 'coder', [], world.life.slug],
    );
  });

  it('is what it has used of its budget, and that the budget was raised', () => {
    begin();
    endTurn();
    world.command({ kind: 'budget', turns: 1, tokens: 2, microUsd: 3, dayEnds: null });
    const { spent, budget, sessionId, lastTurn, resumeAt, prs } = viewOf(world.state);
    assert.deepEqual(spent, { turns: 1, tokens: 100, microUsd: 1_500_000 });
    const { turns, tokens, microUsd } = POLICY.budget;
    assert.deepEqual(budget, { turns: turns + 1, tokens: tokens + 2, microUsd: microUsd + 3 });
    assert.deepEqual([sessionId, lastTurn?.turn, resumeAt, prs], ['session', 1, null, [13]]);
  });

  it('is, when it is over, what its last turn gave, and no name that another may have', () => {
    begin();
    endTurn();
    world.command({ kind: 'destroy' });
    world.destroyed();
    const { slug, agent, phase, turn, proposals, lastTurn } = viewOf(world.state);
    assert.deepEqual([slug, agent, phase, turn, proposals], [null, null, 'destroyed', 1, 0]);
    assert.equal(lastTurn?.turn, 1);
    const outcome = outcomeOf(world.state);
    assert.deepEqual(
      { ...outcome, why: '' },
      {
        ...{ slug: world.life.slug, agent: 'coder', prs: [13], turns: 1, why: '' },
        spent: { turns: 1, tokens: 100, microUsd: 1_500_000 },
      },
    );
    assert.notEqual(outcome?.why, '');
  });

  it('is when it goes on by itself, where it sleeps', () => {
    begin();
    const until = world.now + 3_600_000;
    world.endTurn({ exitCode: 1, model: modelReport(10, 0, { kind: 'limited', until }) });
    const { reason, resumeAt } = viewOf(world.state);
    assert.equal(reason, 'limited');
    assert.ok(resumeAt !== null && resumeAt >= until, String(resumeAt));
  });

  it('is, of a run that never had a turn, why it did not begin', () => {
    world.feed(observed({ readAt: 1, trigger: trigger(5) }));
    const { life } = world.state;
    assert.ok(life !== null);
    const of = (changes: Partial<typeof life>): string | undefined =>
      outcomeOf({ ...world.state, life: { ...life, detail: null, closing: null, ...changes } })?.why;
    assert.equal(of({}), 'not begun');
    assert.equal(of({ detail: 'no agent' }), 'no agent');
    assert.equal(of({ detail: 'no agent', closing: { at: 1, why: 'closed' } }), 'closed');
  });

  describe('in Markdown', () => {
    const lines = (): readonly string[] => detailsOf(world.state).split('\n');

    it('is that there is none, before the first', () => {
      assert.deepEqual(lines(), [
        '**idle** · turn 0 · `no run`',
        '',
        '0 of 20 turns, 0 of 1000 tokens, 0.00 of 5.00 USD',
        '',
        '',
      ]);
    });

    it('is phase, turn, name, use, and the last fifteen things that happened', () => {
      begin();
      endTurn();
      const [head, , used, , , ...entries] = lines();
      assert.match(head ?? '', /^\*\*frozen\*\* \(\w+\) · turn 1 · `[\w-]+`$/);
      assert.equal(used, '1 of 20 turns, 100 of 1000 tokens, 1.50 of 5.00 USD');
      assert.ok(entries.length > 0 && entries.length <= 15);
      for (const entry of entries) assert.match(entry, /^- 2026-01-02T03:04:05\.000Z \S/);
      const { life } = world.state;
      assert.ok(life !== null);
      const timeline = Array.from({ length: 20 }, (_, at) => ({ at, turn: 1, what: `thing ${String(at)}` }));
      const many = detailsOf({ ...world.state, life: { ...life, timeline } })
        .split('\n')
        .slice(5);
      assert.deepEqual([many.length, many[0]], [15, '- 1970-01-01T00:00:00.005Z thing 5']);
    });

    it('has nothing of what was said that could be taken for markup', () => {
      begin();
      const { life } = world.state;
      assert.ok(life !== null);
      const state = {
        ...world.state,
        life: { ...life, detail: '<b>two\n\nlines`', timeline: [{ at: 0, turn: 1, what: '<img>`x`' }] },
      };
      const text = detailsOf(state);
      assert.match(text, /^> {2}b two lines $/m);
      assert.match(text, / {2}img {2}x $/m);
      assert.doesNotMatch(text, /<|img>/);
    });

    it('is how a sync ended, and why', () => {
      const over = outcomeWithoutRun('failed', 'git said:\n<b>no`');
      assert.equal(detailsOfSync(over), '**failed**\n\n> git said:  b no ');
      const done = {
        ...over,
        status: 'verified',
        slug: 'sync-x',
        runDir: '/runs/x',
        prUrl: 'https://f/pulls/1',
      } as const;
      assert.deepEqual(detailsOfSync(done).split('\n\n'), [
        '**verified** · `sync-x`',
        '> git said:  b no ',
        'pull request: https://f/pulls/1',
        'run directory: `/runs/x`',
      ]);
    });
  });
});
