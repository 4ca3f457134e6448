import assert from 'node:assert/strict';
import { createHomeActivities } from '../../../../src/activities/home-activities.js';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import type { RecordDecisionInput } from '../../../../src/activities/ports/inputs.js';
import { recordDecision, recordProposal } from '../../../../src/activities/supervise/record-proposals.js';
import type { ProposalDecisionRow, ProposalRow } from '../../../../src/domain/run/rows.js';
import type { ProposalStore } from '../../../../src/domain/run/stores.js';
import type { UnderWay } from '../../../../src/domain/run/under-way.js';
import { withNetwork } from '../../../../src/domain/supervise/shown-proposal.js';
import type { AuditEntry } from '../../../../src/domain/supervise/proposal-records.js';
import { ID, IMAGE, shownProposal, SLUG } from '../../../support/supervise/shown.js';

const AT = Date.parse('2026-11-23T11:00:00.000Z');
const run = {
  workflowId: 'gitea:alice/demo#12',
  repoId: 7,
  subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
  slug: SLUG,
  turn: 2,
} as const;
const proposal = { id: ID, tool: 'pipelock-block', turn: 2, at: 5, ref: 'shown', origin: 'agent' } as const;
const DIFF = '@@ -1 +1,2 @@\n pypi.org\n+files.example # for the wheels\n';

const image = shownProposal({
  tool: 'capability-block',
  proposed_file: `FROM ${IMAGE}\nRUN apt-get install -y jq\n`,
});

/** Stores, blobs and files in memory; what happens to the files is told in order. */
class Desk {
  readonly rows: ProposalRow[] = [];
  readonly decisions: ProposalDecisionRow[] = [];
  readonly done: string[] = [];
  readonly audit: AuditEntry[] = [];
  fails: string | null = null;
  readonly blobs = new Map([
    ['shown', JSON.stringify(shownProposal())],
    ['own', JSON.stringify(shownProposal({ proposed_file: 'pypi.org\nx.example\n' }))],
    ['image', JSON.stringify(image)],
    ['image-with-network', JSON.stringify(withNetwork(image))],
    ['notes', 'Ask for less.'],
  ]);

  readonly #proposals: Pick<ProposalStore, 'add' | 'decide' | 'find'> = {
    add: (row) => {
      if (!this.rows.some(({ id }) => id === row.id)) this.rows.push(row);
      return Promise.resolve();
    },
    decide: (row) => {
      if (!this.decisions.some(({ id }) => id === row.id)) this.decisions.push(row);
      return Promise.resolve();
    },
    find: (prefix) =>
      Promise.resolve(
        this.rows
          .filter(({ id }) => id.startsWith(prefix))
          .map((row) => ({ ...row, decision: this.decisions.find(({ id }) => id === row.id) ?? null })),
      ),
  };

  ports(): HomePorts {
    const note = (what: string): Promise<void> => {
      if (this.fails === what) {
        this.fails = null;
        return Promise.reject(new Error('killed'));
      }
      this.done.push(what);
      return Promise.resolve();
    };
    const ports = {
      database: { proposals: this.#proposals },
      blobs: { getText: (ref: string) => Promise.resolve(this.blobs.get(ref) ?? '') },
      proposalFiles: {
        write: ({ id }: { id: string }) => note(`write ${id}`),
        remove: (slug: string, id: string) => note(`remove ${slug}/${id}`),
      },
      auditLog: {
        append: async (component: string, entry: AuditEntry) => {
          await note(`append ${component}`);
          this.audit.push(entry);
        },
      },
    };
    return ports as unknown as HomePorts;
  }
}

describe('what is recorded of a proposal', () => {
  const decided = (changes: Partial<ProposalDecisionRow> = {}): RecordDecisionInput => ({
    ...run,
    tool: 'pipelock-block',
    decision: {
      id: ID,
      status: 'approved',
      who: 'alice@desk',
      at: AT,
      ref: 'shown',
      notesRef: null,
      ...changes,
    },
  });
  let desk: Desk;
  beforeEach(async () => {
    desk = new Desk();
    await recordProposal(desk.ports(), { ...run, proposal });
  });

  it('is its row and its file, the same when it is written again', async () => {
    await recordProposal(desk.ports(), { ...run, proposal });
    assert.deepEqual(desk.rows, [{ ...proposal, slug: SLUG, workflowId: run.workflowId }]);
    assert.deepEqual(desk.done, [`write ${ID}`, `write ${ID}`]);
  });

  it('is nothing when the blob is of another proposal, or none', async () => {
    const other = new Desk();
    for (const wrong of [
      { slug: 'other-1' },
      { proposal: { ...proposal, id: 'e'.repeat(32) } },
      { proposal: { ...proposal, ref: 'notes' } },
    ])
      await assert.rejects(recordProposal(other.ports(), { ...run, proposal, ...wrong }), {
        name: 'InvalidInputError',
        message: /is not proposal|is none/,
      });
    assert.deepEqual([other.rows, other.done], [[], []]);
  });

  it('is, with the decision, a row, a line of the audit log, and no file any more', async () => {
    await recordDecision(desk.ports(), decided({ notesRef: 'notes' }));
    assert.deepEqual(desk.decisions, [{ ...decided({ notesRef: 'notes' }).decision, slug: SLUG }]);
    assert.deepEqual(desk.done.slice(1), ['append pipelock', `remove ${SLUG}/${ID}`]);
    assert.deepEqual(desk.audit, [
      {
        at: '2026-11-23T11:00:00.000Z',
        slug: SLUG,
        proposal: ID,
        tool: 'pipelock-block',
        action: 'approved',
        operator: 'alice@desk',
        justification: 'The build needs wheels.',
        notes: 'Ask for less.',
        diff: DIFF,
      },
    ]);
    // A proposal that comes again now waits for nobody.
    await recordProposal(desk.ports(), { ...run, proposal });
    assert.equal(desk.done.length, 3);
  });

  it('shows the file that took effect, the one that did not, or none', async () => {
    const diffs: string[] = [];
    for (const change of [
      { status: 'modified', ref: 'own' },
      { status: 'rejected', ref: null },
      { status: 'failed', ref: 'own' },
      { status: 'cancelled', ref: null },
    ] as const) {
      desk = new Desk();
      await recordProposal(desk.ports(), { ...run, proposal });
      await recordDecision(desk.ports(), decided(change));
      diffs.push(desk.audit[0]?.diff ?? 'none');
    }
    assert.deepEqual(diffs, ['@@ -1 +1,2 @@\n pypi.org\n+x.example\n', DIFF, DIFF, '']);
    assert.equal(desk.audit[0]?.notes, '');
  });

  it('says of an image that its steps had a network, whatever came of them', async () => {
    const said: unknown[] = [];
    for (const [change, tried] of [
      [{ status: 'approved', ref: 'image' }],
      [{ status: 'approved', ref: 'image-with-network' }],
      [{ status: 'failed', ref: null }, { tried: 'image' }],
      [{ status: 'failed', ref: null }, { tried: 'image-with-network' }],
      [{ status: 'cancelled', ref: null }, { tried: 'image-with-network' }],
    ] as const) {
      desk = new Desk();
      const row = { ...proposal, tool: 'capability-block', ref: 'image' } as const;
      await recordProposal(desk.ports(), { ...run, proposal: row });
      await recordDecision(desk.ports(), { ...decided(change), ...tried });
      said.push(desk.audit[0]?.network);
    }
    assert.deepEqual(said, [undefined, true, undefined, true, true]);
  });

  it('is made up for when a crash came between', async () => {
    for (const step of ['append pipelock', `remove ${SLUG}/${ID}`]) {
      desk.fails = step;
      await assert.rejects(recordDecision(desk.ports(), decided()), /killed/);
    }
    await recordDecision(desk.ports(), decided());
    assert.deepEqual(desk.done.slice(-2), ['append pipelock', `remove ${SLUG}/${ID}`]);
  });

  it('is the first decision, whatever is said later', async () => {
    await recordDecision(desk.ports(), decided());
    await recordDecision(desk.ports(), decided({ status: 'rejected', who: 'mallory@desk', ref: null }));
    assert.deepEqual(
      desk.audit.map(({ action, operator }) => [action, operator]),
      [
        ['approved', 'alice@desk'],
        ['approved', 'alice@desk'],
      ],
    );
  });

  it('is written by one activity of a run after another', async () => {
    const steps: string[] = [];
    const ports = desk.ports();
    const slow = async <T>(what: string, work: Promise<T>): Promise<T> => {
      steps.push(what);
      await new Promise((resolve) => setImmediate(resolve));
      return work;
    };
    const proposalFiles = {
      write: () => slow('write', Promise.resolve()),
      remove: () => slow('remove', Promise.resolve()),
    };
    const auditLog = { append: () => slow('append', Promise.resolve()) };
    const activities = createHomeActivities({ ...ports, proposalFiles, auditLog }, {} as UnderWay);
    const input = { ...run, proposal };
    await Promise.all([
      activities.recordProposal(input),
      activities.recordDecision(decided()),
      activities.recordDecision(decided()),
      activities.recordProposal(input),
    ]);
    assert.deepEqual(steps, ['write', 'append', 'remove', 'append', 'remove']);
  });

  it('is nothing for a proposal that nobody has recorded, or another run', async () => {
    await assert.rejects(recordDecision(new Desk().ports(), decided()), /there is no proposal/);
    for (const wrong of [{ slug: 'other-1' }, { decision: { ...decided().decision, id: ID.slice(0, 8) } }])
      await assert.rejects(recordDecision(desk.ports(), { ...decided(), ...wrong }), {
        name: 'InvalidInputError',
        message: /there is no proposal/,
      });
    assert.deepEqual([desk.decisions, desk.audit], [[], []]);
  });
});
