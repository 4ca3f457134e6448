import assert from 'node:assert/strict';
import {
  proposalMessage,
  runMessage,
  summaryMessage,
  testMessage,
} from '../../../../src/domain/notify/notice-body.js';
import { waitingOf } from '../../../../src/domain/notify/plan-notices.js';
import type { ProposalRow } from '../../../../src/domain/run/rows.js';
import { REASONS_FOR_PEOPLE } from '../../../../src/domain/run/frozen-reasons.js';
import { ID, shownProposal, SLUG } from '../../../support/supervise/shown.js';
import { readFileSync } from 'node:fs';

const AT = Date.parse('2026-11-23T10:00:00.000Z');
const row: ProposalRow = {
  ...{ slug: SLUG, id: ID, workflowId: 'gitea:alice/demo#12', tool: 'pipelock-block', turn: 2, at: AT },
  ref: 'e'.repeat(64),
  origin: 'agent',
};
const URL = 'https://git.example/alice/demo/issues/12';

describe('the JSON that a hook is given', () => {
  it('says of a proposal what it would do, and how to look at it', () => {
    const { id, body } = proposalMessage('proposal-1', row, URL, shownProposal());
    assert.equal(id, 'proposal-1');
    assert.deepEqual(JSON.parse(body), {
      id: 'proposal-1',
      kind: 'proposal',
      since: '2026-11-23T10:00:00.000Z',
      command: 'bot-bottle proposals show 3f2a9c1e',
      slug: SLUG,
      subject: URL,
      proposal: ID,
      tool: 'pipelock-block',
      turn: 2,
      effect: ['may connect to files.example'],
      moreEffects: 0,
      justification: 'The build needs wheels.',
    });
  });

  it('says of a run why it waits, and since when', () => {
    const run = { slug: SLUG, agentName: 'coder', issueUrl: URL, reason: 'stuck', since: AT };
    assert.deepEqual(JSON.parse(runMessage('run-1', run).body), {
      id: 'run-1',
      kind: 'run',
      since: '2026-11-23T10:00:00.000Z',
      command: `bot-bottle logs ${SLUG}`,
      slug: SLUG,
      subject: URL,
      agent: 'coder',
      reason: 'stuck',
    });
    const local = runMessage('run-1', { ...run, issueUrl: '/home/alice/demo' });
    assert.equal((JSON.parse(local.body) as { subject: unknown }).subject, null);
  });

  it('bounds what an agent wrote, and has it as strings that no terminal acts on', () => {
    const hosts = Array.from({ length: 30 }, (_, n) => `${'a'.repeat(60)}.h${String(n)}.example\n`).join('');
    const hostile = `"}\u001b[2J\u202e\u009b${'ä'.repeat(4_000)}`;
    const shown = shownProposal({ proposed_file: hosts, justification: hostile });
    const { body } = proposalMessage('proposal-1', row, URL, shown);
    assert.match(body, /^[ -~ä…]*$/);
    assert.ok(Buffer.byteLength(body) < 6_000, String(body.length));
    const { justification, effect, moreEffects } = JSON.parse(body) as Record<string, string>;
    assert.ok(justification?.startsWith('"}\u001b[2J\u202e\u009bä') && justification.endsWith('ä…'));
    assert.ok(Buffer.byteLength(justification ?? '') <= 1_003);
    assert.deepEqual([effect?.length, moreEffects], [20, 11]);
  });

  it('still tells of a proposal that cannot be read', () => {
    const told = JSON.parse(proposalMessage('proposal-1', row, undefined, null).body) as object;
    assert.deepEqual({ ...told, justification: null, effect: [], subject: null }, told);
  });

  it('sums up many, with an id that the same things have again', () => {
    const proposals = [row, { ...row, id: 'b'.repeat(32), at: AT + 5 }];
    const runs = [{ slug: 's', agentName: 'a', issueUrl: URL, reason: 'stuck', since: AT - 1 }];
    const both = summaryMessage(waitingOf(proposals, runs));
    assert.deepEqual(JSON.parse(both.body), {
      id: `summary-${String(AT + 5)}-2-1`,
      kind: 'summary',
      since: '2026-11-23T09:59:59.999Z',
      command: 'bot-bottle proposals; bot-bottle orchestrate status',
      proposals: 2,
      runs: 1,
    });
    assert.equal(summaryMessage(waitingOf(proposals, runs)).id, both.id);
    assert.match(summaryMessage(waitingOf([], runs)).body, /"bot-bottle orchestrate status"/);
  });

  it('is marked as a test when it is one', () => {
    assert.equal((JSON.parse(testMessage(AT).body) as { kind: unknown }).kind, 'test');
  });
});

describe('the reasons that need a person', () => {
  it('are those of the view that the documentation has', () => {
    const page = readFileSync('docs/run.md', 'utf8');
    const [, list = ''] = /`BottleReason IN \(([^)]*)\)`/.exec(page) ?? [];
    const named = [...list.matchAll(/"(\w+)"/g)].map(([, reason]) => reason);
    // Of a host that does not answer there is no row: the worker that would tell it is the one that is silent.
    assert.deepEqual(named.sort(), [...REASONS_FOR_PEOPLE, 'host_silent'].sort());
  });
});
