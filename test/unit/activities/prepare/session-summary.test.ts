import assert from 'node:assert/strict';
import { sessionSummary } from '../../../../src/activities/prepare/session-summary.js';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import { createAccess } from '../../../../src/domain/forge/access.js';
import type { TurnRow } from '../../../../src/domain/run/rows.js';
import { comment } from '../../../support/machine/world.js';
import { ALICE, BOT, FakeForge, user } from '../../../support/webhook/fake-forge.js';

const MALLORY = user('mallory', 66);
const AT = Date.UTC(2026, 0, 1);

describe('what a fresh session is told of the run', () => {
  let forge: FakeForge;
  let rows: TurnRow[];
  beforeEach(() => {
    forge = new FakeForge();
    rows = [];
  });

  const summary = (run: Partial<Parameters<typeof sessionSummary>[1]> = {}) => {
    const bound = forge.bind();
    const sources = {
      database: { runs: { turns: () => Promise.resolve(rows) } },
      blobs: { getText: (ref: string) => Promise.resolve(`text of ${ref}`) },
      forge: {
        ...bound,
        // By number, and in the order in which they were written.
        readComments: async (number: number) => {
          await bound.readComments(number);
          const all = [...forge.comments.values()];
          return all.filter(({ url }) => url === String(number));
        },
      },
      access: createAccess(bound, { org: 'bot-bottle', trigger: 'collaborators', wake: 'collaborators' }),
    } as unknown as Parameters<typeof sessionSummary>[0];
    return sessionSummary(sources, { slug: 's', number: 12, prNumber: null, references: [], ...run });
  };
  const write = (id: number, number = 12, author = ALICE): void => {
    const at = new Date(AT + id * 1_000).toISOString();
    const body = `text ${String(id)}`;
    forge.comments.set(id, { id, author, body, url: String(number), createdAt: at, updatedAt: at });
  };
  const said = async (run: Partial<Parameters<typeof sessionSummary>[1]> = {}): Promise<string[]> =>
    (await summary(run)).comments.map((one) =>
      one.kind === 'comment' ? one.body.replace('text ', '') : one.kind,
    );
  const ended = (turn: number, done: unknown, event: TurnRow['event'] = 'ended'): void => {
    rows.push({ slug: 's', turn, event, at: turn, detail: { done } });
  };

  describe('of what was written', () => {
    it('is what people may wake it with, and what it wrote itself', async () => {
      write(1);
      write(2, 12, MALLORY);
      write(3, 12, BOT);
      assert.deepEqual(await said(), ['1', '3']);
    });

    it('is not what its prompt tells anyway', async () => {
      write(1);
      write(2);
      const review = { ...comment(2), kind: 'review' } as const;
      assert.deepEqual(await said({ references: [comment(1), review] }), ['2'], 'a review has other numbers');
    });

    it('is the latest ten, of issue and pull request together, oldest first', async () => {
      for (let id = 1; id <= 30; id += 1) write(id, id % 3 === 0 ? 31 : 12);
      const latest = Array.from({ length: 10 }, (_, index) => String(index + 21));
      assert.deepEqual(await said({ prNumber: 31 }), latest);
    });

    it('is read once where the pull request is the run’s subject', async () => {
      write(1);
      forge.putPull(12);
      assert.deepEqual(await said({ prNumber: 12 }), ['1']);
    });

    it('is looked for among the latest forty alone, however many strangers wrote them', async () => {
      write(1);
      for (let id = 2; id <= 40; id += 1) write(id, 12, user(`m${String(id)}`, 100 + id));
      assert.deepEqual(await said(), ['1']);
      write(41, 12, MALLORY);
      assert.deepEqual(await said(), []);
    });

    it('is nothing where the issue is gone, and fails where the forge is away', async () => {
      write(1);
      forge.fault = (call) => {
        if (call === 'comments') throw forge.notFound();
      };
      assert.deepEqual(await said(), []);
      const away = new ForgeHttpError(503, 'GET', '/', 'away');
      forge.fault = (call) => {
        if (call === 'comments') throw away;
      };
      await assert.rejects(said(), away);
    });
  });

  describe('of its turns', () => {
    it('is what it said at their ends, if it said something', async () => {
      ended(1, null, 'begun');
      ended(1, { status: 'success', summaryRef: 'one' });
      ended(2, { status: 'blocked', summaryRef: 'two' });
      ended(3, { status: 'failed', summaryRef: 'three' });
      ended(4, { status: 'success', summaryRef: '' });
      ended(5, null);
      ended(6, { status: 'success', summaryRef: 'eight' }, 'begun');
      const { summaries } = await summary();
      assert.deepEqual(summaries, [
        { turn: 1, status: 'success', text: 'text of one' },
        { turn: 2, status: 'blocked', text: 'text of two' },
        { turn: 3, status: 'failed', text: 'text of three' },
      ]);
    });
  });

  describe('of its pull request', () => {
    const pull = async () => (await summary({ prNumber: 31 })).pull;

    it('is how it stands, and its title where no stranger gave it', async () => {
      for (const [change, state] of [
        [{}, 'open'],
        [{ draft: true }, 'an open draft'],
        [{ state: 'closed' }, 'closed'],
        [{ state: 'closed', draft: true }, 'closed'],
        [{ state: 'closed', merged: true }, 'merged'],
      ] as const) {
        forge.putPull(31, change);
        assert.deepEqual(await pull(), { number: 31, title: 'PR', state });
      }
      for (const [author, title] of [
        [ALICE, 'PR'],
        [BOT, 'PR'],
        [MALLORY, null],
      ] as const) {
        forge.putPull(31, { author });
        assert.equal((await pull())?.title, title, author.login);
      }
    });

    it('is nothing where there is none, or none any more; and fails where the forge is away', async () => {
      assert.equal((await summary()).pull, null);
      assert.equal(await pull(), null);
      const away = new ForgeHttpError(503, 'GET', '/', 'away');
      forge.fault = (call) => {
        if (call === 'pull 31') throw away;
      };
      await assert.rejects(pull(), away);
    });
  });
});
