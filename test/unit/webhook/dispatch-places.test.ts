import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { RunEvent } from '../../../src/domain/run/events.js';
import type { Place } from '../../../src/domain/forge/issue.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import { BOT } from '../../support/webhook/fake-forge.js';
import { issueEvent } from '../../support/webhook/payloads.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ACT_AT = 1_700_000_000_000;

describe('a run whose repository or issue is not where it was', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;
  let salt = 0;

  async function fresh(serves?: (place: Place) => boolean): Promise<void> {
    const directory = newPath();
    mkdirSync(directory);
    world = await dispatchWorld(directory, {}, true, undefined, serves);
  }
  beforeEach(async () => {
    await fresh();
  });
  afterEach(async () => {
    await world.close();
  });

  /** A living run that began in `began`, whose row says where it is. */
  async function living(changes: Partial<ForgeStateRow> = {}, began = 'alice/demo'): Promise<void> {
    const row = stateRow({ status: 'frozen', workflowId: `gitea:${began}#12`, ...changes });
    await world.database.forgeState.upsert(row);
    await world.database.runs.appendRun({
      slug: row.slug,
      workflowId: row.workflowId,
      subject: `${began}#12`,
      agentName: 'coder',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt: ACT_AT,
      triggerActId: 2,
      createdAt: ACT_AT,
    });
    world.gateway.running.add(`gitea:${began}#12`);
  }
  async function change(): Promise<string | undefined> {
    await world.deliver('issue_label', issueEvent({ salt: String((salt += 1)) }));
    await world.settle();
    return world.outcomes.at(-1)?.outcome;
  }
  const last = (): { readonly id: string; readonly event: RunEvent } | undefined => world.gateway.sent.at(-1);

  it('is told of under the name it began with, and told where it is', async () => {
    await living({ owner: 'carol', repo: 'old' }, 'carol/old');
    world.forge.trigger(12, ACT_AT);
    assert.equal(await change(), 'signalled');
    assert.equal(last()?.id, 'gitea:carol/old#12');
    const { event } = last() ?? {};
    assert.deepEqual(event?.kind === 'observed' ? event.place : null, {
      repoId: 7,
      owner: 'alice',
      repo: 'demo',
    });
  });

  it('is looked for by the repository’s id when its name leads nowhere', async () => {
    await living();
    world.forge.places.set(7, { repoId: 7, owner: 'dora', repo: 'elsewhere' });
    let asked = 0;
    world.forge.fault = (call) => {
      // Under the old name there is nothing; the fake forge has one repository under every name.
      if (call === 'issue 12' && (asked += 1) === 1) throw world.forge.notFound();
    };
    world.forge.trigger(12, ACT_AT);
    assert.equal(await change(), 'signalled');
    const { event } = last() ?? {};
    assert.deepEqual(event?.kind === 'observed' ? event.place : null, {
      repoId: 7,
      owner: 'dora',
      repo: 'elsewhere',
    });
  });

  it('ends when the issue is not found twice, ten seconds apart, and not before', async () => {
    await living();
    const before = world.now();
    assert.equal(await change(), 'gone');
    assert.ok(world.now() - before >= 10_000);
    assert.equal(last()?.event.kind, 'lost');
    assert.ok(world.forge.calls.filter((call) => call === 'issue 12').length >= 2);
  });

  it('goes on when the issue was out of sight only once', async () => {
    await living();
    let asked = 0;
    world.forge.fault = (call) => {
      if (call === 'issue 12' && (asked += 1) === 1) throw world.forge.notFound();
    };
    world.forge.trigger(12, ACT_AT);
    assert.equal(await change(), 'signalled');
    assert.equal(last()?.event.kind, 'observed');
  });

  it('is told once when it was transferred out of what is served', async () => {
    await fresh(({ owner }) => owner !== 'eve');
    await living();
    world.forge.places.set(7, { repoId: 7, owner: 'eve', repo: 'demo' });
    assert.equal(await change(), 'unserved');
    const { event } = last() ?? {};
    assert.match(event?.kind === 'unserved' ? event.why : '', /eve\/demo now, which is not served/);
    const sent = world.gateway.sent.length;
    await living({ status: 'frozen', reason: 'unserved' });
    assert.equal(await change(), 'unserved');
    assert.equal(world.gateway.sent.length, sent);
  });

  it('is nobody’s business any more when it has ended or never was', async () => {
    assert.equal(await change(), 'gone');
    await living({ status: 'destroyed', destroyedAt: ACT_AT + 1_000 });
    assert.equal(await change(), 'gone');
    assert.deepEqual(world.gateway.sent, []);
  });

  it('keeps its workflow when another repository takes its old name: that one is refused, with the reason', async () => {
    await living({ owner: 'alice', repo: 'renamed', repoId: 6 });
    world.forge.trigger(12, ACT_AT);
    assert.equal(await change(), 'no_run');
    assert.deepEqual(world.gateway.sent, []);
    assert.match(world.rejected[0]?.reason ?? '', /alice\/renamed, which had this name before/);
    assert.deepEqual(world.forge.reactions, [[12, 'confused']]);
  });

  it('begins anew under its new name once its earlier run has ended', async () => {
    await living(
      { owner: 'carol', repo: 'old', status: 'destroyed', destroyedAt: ACT_AT + 1_000 },
      'carol/old',
    );
    world.forge.trigger(12, ACT_AT);
    world.forge.putIssue(12, { assignees: [BOT] });
    world.forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 60_000);
    assert.equal(await change(), 'started');
    assert.deepEqual([last()?.id, world.gateway.sent.at(-1)?.start], ['gitea:alice/demo#12', true]);
  });
});
