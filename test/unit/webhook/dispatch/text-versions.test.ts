import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dispatchWorld } from '../../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../../support/webhook/dispatch-world.js';
import { ALICE, user } from '../../../support/webhook/fake-forge.js';
import { aHint } from '../../../support/webhook/hints.js';
import { commentEvent, issueEvent } from '../../../support/webhook/payloads.js';
import { SegmentWorld } from '../../../support/webhook/segment-world.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const ACT_AT = 1_700_000_000_000;
const iso = (at: number): string => new Date(at).toISOString();
/** A stranger's, whose text was written anew once before the label was set, and which was commented on after. */
const TOUCHED = { author: user('mallory', 66), updatedAt: iso(ACT_AT + 8_000), contentVersion: 1 };

describe('what deliveries tell of an issue’s text', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;

  beforeEach(async () => {
    const directory = newPath();
    mkdirSync(directory);
    world = await dispatchWorld(directory);
    world.forge.trigger(12, ACT_AT);
    world.forge.putIssue(12, TOUCHED);
  });
  afterEach(async () => {
    await world.close();
  });

  async function changed(action: string, at: number): Promise<void> {
    const event = issueEvent({ action }) as { readonly issue: object };
    const issue = { ...event.issue, content_version: 1, updated_at: iso(at) };
    await world.deliver('issues', { ...event, issue });
  }
  const outcomes = (): string[] => world.outcomes.map(({ outcome }) => outcome);

  it('counts for what waits before them, when that is tried alone after a failure', async () => {
    await changed('assigned', ACT_AT - 1_000);
    await changed('label_updated', ACT_AT);
    let failures = 1;
    world.gateway.fault = () => {
      if ((failures -= 1) >= 0) throw new Error('Temporal is away');
    };
    await world.settle();
    assert.deepEqual(outcomes(), ['retry', 'started', 'covered']);
    assert.deepEqual(world.rejected, []);
  });

  it('counts for a comment that was delivered before them', async () => {
    const assignees = [{ id: 9, login: 'bot' }];
    world.forge.putComment(77, ALICE, 'please', ACT_AT + 8_000);
    await world.deliver('issue_comment', commentEvent({ assignees, labels: ['bot-bottle:coder'] }));
    await changed('label_updated', ACT_AT);
    await world.settle();
    assert.deepEqual(
      world.gateway.sent.map(({ event, start }) => [event.kind, start]),
      [
        ['observed', true],
        ['references', false],
      ],
    );
    assert.deepEqual(world.rejected, []);
  });

  it('does not count for another issue', async () => {
    const other = new SegmentWorld();
    other.forge.trigger(12, ACT_AT);
    other.forge.putIssue(12, TOUCHED);
    const textVersion = { actorId: ALICE.id, at: ACT_AT, version: 1 };
    const elsewhere = { ...aHint().subject, number: 13 };
    assert.equal(await other.outcomeBefore([aHint({ subject: elsewhere, textVersion })], aHint()), 'no_run');
    assert.equal(other.rejected.length, 1);
  });

  it('is heard although it came before a read that did not have it', async () => {
    const segments = new SegmentWorld();
    segments.forge.trigger(12, ACT_AT);
    segments.forge.putIssue(12, TOUCHED);
    assert.equal(await segments.outcome(aHint()), 'no_run');
    const textVersion = { actorId: ALICE.id, at: ACT_AT, version: 1 };
    const late = await segments.receivedAt(segments.now - 1, aHint({ textVersion }));
    assert.deepEqual(late.kind === 'done' && late.results.map(({ outcome }) => outcome), ['started']);
  });
});
