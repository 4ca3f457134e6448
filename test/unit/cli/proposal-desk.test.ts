import assert from 'node:assert/strict';
import { WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { proposalDesk } from '../../../src/cli/runs/proposal-desk-client.js';
import type { OrchestratorWorld } from '../../../src/cli/runs/orchestrator-world.js';
import type { ProposalDesk } from '../../../src/cli/base/proposal-desk.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { ID, shownProposal, SLUG } from '../../support/supervise/shown.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';
import type { ProposalRow } from '../../../src/domain/run/rows.js';
import type { DecideRequest } from '../../../src/domain/supervise/decision.js';
import type { SentUntil } from '../../../src/workflows/messages.js';

type Sent = DecideRequest & SentUntil;

describe('the commands’ desk of proposals', () => {
  const newPath = useNewPaths();
  const shown = shownProposal();
  const accepted = { slug: SLUG, status: 'approved', effect: 'now' } as const;
  let database: Database;
  let blobs: LocalBlobStore;
  let ref: string;
  let sent: { workflowId: string; update: string; request: Sent | undefined }[];
  let answer: () => Promise<unknown>;
  let desk: ProposalDesk;

  beforeEach(async () => {
    const home = newPath();
    database = await openDatabase(`${home}/bot-bottle.db`);
    blobs = new LocalBlobStore(home);
    ref = await blobs.put(JSON.stringify(shown));
    sent = [];
    answer = () => Promise.resolve(accepted);
    const getHandle = (workflowId: string): object => ({
      executeUpdate: ({ name }: { name: string }, { args: [request] }: { args: Sent[] }) => {
        sent.push({ workflowId, update: name, request });
        return answer();
      },
    });
    const withDeadline = (_at: number, work: () => unknown): unknown => work();
    const world = {
      client: { withDeadline, workflow: { getHandle } } as unknown as Client,
      database,
      by: 'alice@desk',
      storeText: (text: string) => blobs.put(text),
      readText: (from: string) => blobs.getText(from),
    };
    desk = proposalDesk(world as unknown as OrchestratorWorld);
    await add(ID, ref);
  });
  afterEach(async () => {
    await database.close();
  });

  const rowOf = (id: string, blob: string): ProposalRow => ({
    ...{ slug: SLUG, id, workflowId: 'gitea:alice/demo#12', tool: 'pipelock-block', turn: 2, at: 5 },
    ref: blob,
    origin: 'agent',
  });
  const add = (id: string, blob: string): Promise<void> => database.proposals.add(rowOf(id, blob));
  const row = async (): ReturnType<ProposalDesk['findProposals']> => desk.findProposals(ID.slice(0, 4));

  it('lists what waits with what it would do; one that is gone does not hide the others', async () => {
    await add('f'.repeat(32), '0'.repeat(64));
    assert.deepEqual(
      (await desk.proposals()).map((listed) => [listed.id, listed.shown]),
      [
        [ID, shown],
        ['f'.repeat(32), null],
      ],
    );
  });

  it('asks the run’s workflow, naming what was shown; texts are blobs', async () => {
    const [found] = await row();
    assert.ok(found);
    const modified = shownProposal({ proposed_file: 'pypi.org\nx.example\n' });
    assert.deepEqual(await desk.decide(found, { verdict: 'approve', notes: null }), {
      kind: 'decided',
      ...accepted,
    });
    await desk.decide(found, { verdict: 'modify', modified, notes: 'Less.' });
    const [approve, modify] = sent;
    const until = approve?.request?.until ?? 0;
    assert.ok(until > Date.now(), 'and until when the answer is waited for');
    const common = { id: ID, shown: ref, by: 'alice@desk', until };
    assert.deepEqual(approve, {
      workflowId: 'gitea:alice/demo#12',
      update: 'decide',
      request: { ...common, verdict: 'approve', modified: null, notesRef: null },
    });
    const { modified: own, notesRef, ...rest } = modify?.request ?? { modified: null, notesRef: null };
    assert.deepEqual({ ...rest, until }, { ...common, verdict: 'modify' });
    assert.deepEqual(JSON.parse(await blobs.getText(own ?? '')), modified);
    assert.equal(await blobs.getText(notesRef ?? ''), 'Less.');
  });

  it('passes on why it was refused', async () => {
    const [found] = await row();
    assert.ok(found);
    const cause = ApplicationFailure.nonRetryable('it is decided already', 'DecisionRefused');
    answer = () => Promise.reject(new WorkflowUpdateFailedError('update failed', cause));
    assert.deepEqual(await desk.decide(found, { verdict: 'reject', notes: 'No.' }), {
      kind: 'refused',
      reason: 'it is decided already',
    });
  });

  it('knows what came of one, and in whose words', async () => {
    const own = shownProposal({ proposed_file: 'pypi.org\nx.example\n' });
    const [modified, notesRef] = [await blobs.put(JSON.stringify(own)), await blobs.put('Less.')];
    const decision = { slug: SLUG, id: ID, who: 'alice@desk', at: 9 } as const;
    const [open] = await row();
    assert.ok(open);
    assert.deepEqual(await desk.proposal(open), { shown, modified: null, notes: null });
    await database.proposals.decide({ ...decision, status: 'modified', ref: modified, notesRef });
    const [decided] = await row();
    assert.ok(decided);
    assert.deepEqual(await desk.proposal(decided), { shown, modified: own, notes: 'Less.' });
    const asProposed = {
      ...decided,
      decision: { ...decision, status: 'approved', ref, notesRef: null },
    } as const;
    assert.deepEqual(await desk.proposal(asProposed), { shown, modified: null, notes: null });
  });
});
