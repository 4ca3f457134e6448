import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { keepProposal } from '../../../../src/activities/supervise/kept-proposals.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { QueueAnswer, QueueBody } from '../../../../src/domain/run/queue.js';
import type { ProposalOutcome, ProposeRequest } from '../../../../src/domain/run/run-channel.js';
import { SetAsideError } from '../../../../src/domain/run/under-way.js';
import { MAX_KEPT_PROPOSALS } from '../../../../src/domain/supervise/proposal.js';
import { SLUG } from '../../../support/host/host-world.js';
import { passTimeUntil } from '../../../support/turn/pass-time.js';
import { NOW, TurnWorld } from '../../../support/turn/turn-world.js';
import { errorOf, message, resultOf, WatchedTurn } from '../../../support/turn/watched-turn.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('a call of an agent that waits for an answer', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let watched: WatchedTurn;
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
    watched = new WatchedTurn(world);
  });
  afterEach(() => mock.timers.reset());

  async function answerTo(id: string): Promise<QueueAnswer['result'] | undefined> {
    await passTimeUntil(() => world.answer(id) !== undefined);
    return world.answer(id);
  }

  describe('about a proposal', () => {
    const proposal = (file = 'pypi.org\n', currentHash = sha256('')): QueueBody =>
      message({
        kind: 'proposal',
        tool: 'pipelock-block',
        file,
        justification: 'It is needed.',
        currentHash,
      } as const);
    /** What the run was asked, and who decides. */
    let asked: { readonly messageId: string; readonly request: ProposeRequest }[];
    let decide: (outcome: Pick<ProposalOutcome, 'status' | 'notesRef'>) => void;
    beforeEach(() => {
      asked = [];
      decide = () => assert.fail('nobody waits');
      world.channel.propose = (_workflow, messageId, request) => {
        asked.push({ messageId, request });
        const outcome = new Promise<ProposalOutcome>((resolve) => {
          decide = (said) => {
            resolve({ id: request.id, ...said });
          };
        });
        return Promise.resolve({ outcome: () => outcome });
      };
    });

    it('is held until the operator has decided, and answered with the words', async () => {
      const ending = await watched.begin();
      const id = world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      assert.equal(world.answer(id), undefined);
      decide({ status: 'rejected', notesRef: await world.ports.blobs.put('Use the mirror.') });
      const request = asked[0]?.request;
      assert.deepEqual(await answerTo(id), {
        ...{ kind: 'decision', id: request?.id, status: 'rejected', notes: 'Use the mirror.' },
      });
      assert.deepEqual([asked.length, asked[0]?.messageId], [1, id]);
      world.exit('agent');
      await resultOf(ending);
    });

    it('takes no time off the turn’s limit, and is no silence', async () => {
      const ending = await watched.begin({ turnTimeoutMs: 3_600_000 });
      const id = world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      const from = Date.now();
      await passTimeUntil(() => Date.now() > from + 7_200_000, 1_000);
      assert.equal(watched.runs, true, 'its limit is an hour');
      decide({ status: 'approved', notesRef: null });
      assert.equal((await answerTo(id))?.kind, 'decision');
      world.exit('agent');
      await resultOf(ending);
      // Whole on the disk by now.
      const record = await world.ports.files.readTurn(SLUG, 1);
      assert.ok((record?.heldMs ?? 0) > 3_600_000, String(record?.heldMs));
      assert.ok((record?.lastCheckinAt ?? 0) >= from + 3_600_000);
    });

    it('is held for four hours of a turn at most, over restarts of the worker, too', async () => {
      const hours = (count: number): number => count * 3_600_000;
      const later = (ms: number): Promise<void> => {
        const from = Date.now();
        return passTimeUntil(() => Date.now() > from + ms || !watched.runs, 5_000);
      };
      const begun = await watched.begin({ turnTimeoutMs: hours(1) });
      world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      await later(hours(3));
      watched.attachments.detachAll();
      await errorOf(begun, 1);
      const ending = await watched.watch({ turnTimeoutMs: hours(1), begun: true }, 'attach');
      await passTimeUntil(() => asked.length > 1);
      await later(hours(1.5));
      assert.equal(watched.runs, true, 'that is half an hour of its own');
      await later(hours(1));
      const { stopped } = await resultOf(ending);
      assert.equal(stopped, 'timeout');
      const { heldMs = 0, askedMs = 0 } = (await world.ports.files.readTurn(SLUG, 1)) ?? {};
      assert.deepEqual([heldMs, askedMs], [hours(4), hours(4)]);
    });

    it('is held once while the machine sleeps, too', async () => {
      let slept = 0;
      world.ports.clock.now = () => Date.now() + slept;
      world.ports.clock.steady = () => Date.now();
      const ending = await watched.begin({ turnTimeoutMs: 8 * 3_600_000 });
      const id = world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      slept = 2 * 3_600_000;
      decide({ status: 'approved', notesRef: null });
      assert.equal((await answerTo(id))?.kind, 'decision');
      const from = Date.now();
      await passTimeUntil(() => Date.now() > from + 120_000, 1_000);
      world.exit('agent');
      await resultOf(ending);
      const { heldMs = 0 } = (await world.ports.files.readTurn(SLUG, 1)) ?? {};
      assert.ok(heldMs >= slept && heldMs < 1.5 * slept, String(heldMs));
    });

    it('is marked while it is read, and not while the operator is waited for', async () => {
      const { underWay } = world.ports;
      const during = underWay.during.bind(underWay);
      const marks: string[] = [];
      underWay.during = async (work, run) => {
        if (!work.what.startsWith('a proposal')) return during(work, run);
        marks.push(`begin ${work.key}`);
        const made = await during(work, run);
        marks.push(`end, ${String(asked.length)} asked`);
        return made;
      };
      const ending = await watched.begin();
      const id = world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      assert.deepEqual(marks, [`begin message-${id}`, 'end, 0 asked']);
      decide({ status: 'approved', notesRef: null });
      assert.equal((await answerTo(id))?.kind, 'decision');
      world.exit('agent');
      await resultOf(ending);
    });

    it('is refused when it was read at two crashes', async () => {
      const { underWay } = world.ports;
      const during = underWay.during.bind(underWay);
      underWay.during = (work, run) =>
        work.what.startsWith('a proposal') ? Promise.reject(new SetAsideError(work)) : during(work, run);
      const ending = await watched.begin();
      const id = world.send(proposal());
      const answer = await answerTo(id);
      assert.deepEqual(
        [answer?.kind, answer !== undefined && 'reason' in answer && answer.reason, asked],
        ['refused', `a proposal ${id} was under way at two crashes of the worker`, []],
      );
      world.exit('agent');
      await resultOf(ending);
    });

    it('is refused at once when it is none, with the reason', async () => {
      const ending = await watched.begin();
      const id = world.send(proposal('pypi.org\n', sha256('another file')));
      const answer = await answerTo(id);
      assert.ok(answer?.kind === 'refused');
      assert.match(answer.reason, /current_file_hash/);
      assert.deepEqual(asked, []);
      world.exit('agent');
      await resultOf(ending);
    });

    it('is refused for what no repetition cures, and when the run does not take it', async () => {
      const ending = await watched.begin();
      const refused = { kind: 'refused', reason: 'too many are open' } as const;
      world.channel.propose = () => Promise.resolve({ outcome: () => Promise.resolve(refused) });
      const id = world.send(proposal());
      assert.deepEqual(await answerTo(id), refused);
      const getText = world.ports.blobs.getText.bind(world.ports.blobs);
      world.ports.blobs.getText = () => Promise.reject(new InvalidInputError('the blob is none'));
      const second = world.send(proposal('files.example\n'));
      assert.deepEqual(await answerTo(second), { kind: 'refused', reason: 'the blob is none' });
      world.ports.blobs.getText = getText;
      world.exit('agent');
      await resultOf(ending);
    });

    it('is one of as many as a run keeps, however many come at once', async () => {
      const { files } = world.ports;
      for (let n = 1; n < MAX_KEPT_PROPOSALS; n += 1)
        await keepProposal(files, SLUG, n.toString(16).padStart(32, '0'), 'f'.repeat(64));
      const ending = await watched.begin();
      const ids = ['a.example\n', 'b.example\n', 'c.example\n'].map((file) => world.send(proposal(file)));
      await passTimeUntil(
        () => asked.length > 0 && ids.filter((id) => world.answer(id) !== undefined).length > 1,
      );
      assert.equal(asked.length, 1);
      assert.equal((await files.listFiles(SLUG, 'proposals')).length, MAX_KEPT_PROPOSALS);
      world.exit('agent');
      await resultOf(ending);
    });

    it('is one of six things that the run is asked at once, for operators ask it, too: more wait in the queue', async () => {
      let opened = 0;
      let answerAll = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answerAll = resolve));
      world.channel.openPr = async () => {
        opened += 1;
        await answered;
        return { kind: 'refused', reason: 'no' };
      };
      const ending = await watched.begin();
      const files = ['a.example\n', 'b.example\n', 'c.example\n', 'd.example\n', 'e.example\n'];
      for (const file of files) world.send(proposal(file));
      const requests = [1, 2, 3].map(() =>
        world.send(message({ kind: 'open_pr', title: 'Hello', body: '' })),
      );
      await passTimeUntil(() => asked.length === 5 && opened === 1);
      const from = Date.now();
      await passTimeUntil(() => Date.now() > from + 5_000, 500);
      assert.deepEqual([asked.length, opened], [5, 1]);
      answerAll();
      for (const id of requests) assert.equal((await answerTo(id))?.kind, 'refused');
      assert.equal(opened, 3);
      world.exit('agent');
      await resultOf(ending);
    });

    it('is asked again when the run could not be reached', async () => {
      const ending = await watched.begin();
      const { propose } = { propose: world.channel.propose?.bind(world.channel) };
      let failed = 0;
      world.channel.propose = (...of) => {
        failed += 1;
        return failed < 3 || propose === undefined
          ? Promise.reject(new Error('no Temporal'))
          : propose(...of);
      };
      const id = world.send(proposal());
      await passTimeUntil(() => asked.length > 0);
      decide({ status: 'approved', notesRef: null });
      assert.equal((await answerTo(id))?.kind, 'decision');
      world.exit('agent');
      await resultOf(ending);
    });

    it('reaches the run when its agent is gone, and nobody waits for the answer', async () => {
      const ending = await watched.begin();
      const id = world.send(proposal());
      world.exit('agent');
      await resultOf(ending);
      assert.deepEqual([asked.length, world.answer(id)], [1, undefined]);
      assert.deepEqual((await world.ports.queue.read(SLUG)).messages, []);
    });
  });

  describe('about a text', () => {
    const text = (words: string): QueueBody =>
      message({ kind: 'text', where: 'the comment on #12', text: words } as const);

    it('is answered as long as its sidecar runs: then nobody waits for the verdict', async () => {
      const ending = await watched.begin();
      const id = world.send(text('hello'));
      assert.deepEqual(await answerTo(id), { kind: 'clean' });
      world.exit('agent');
      await resultOf(ending);
      assert.equal(world.answer(id), undefined);
    });
  });
});
