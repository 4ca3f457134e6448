import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RunTurnInput } from '../../../../../src/activities/ports/inputs.js';
import { beginTurn } from '../../../../../src/activities/turn/begin/begin-turn.js';
import { blankTurnRecord, TurnJournal } from '../../../../../src/activities/turn/turn-journal.js';
import { GitError } from '../../../../../src/domain/base/errors.js';
import type { OneShotSpec } from '../../../../../src/domain/bottle/bottle-runtime.js';
import type { TurnRecord } from '../../../../../src/domain/run/run-files.js';
import { BASE, HEAD, failed, report, SLUG } from '../../../../support/host/host-world.js';
import { TurnWorld } from '../../../../support/turn/turn-world.js';
import { useNewPaths } from '../../../../support/webhook/temp-dir.js';

const { signal } = new AbortController();
const OLD_BASE = 'd'.repeat(40);
const KEPT = 'unpublished-1.bundle';

describe('the first turn of a run that was moved here', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let once: OneShotSpec[];
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
    world.put('agent', { status: 'running' });
    once = [];
    world.host.answers = (spec) => {
      once.push(spec);
      return report({ bundle: 'commits' });
    };
    const refs = { startSha: OLD_BASE, baseBranch: 'main', baseSha: OLD_BASE, branchSha: null };
    await world.ports.files.writeTurn(SLUG, { ...blankTurnRecord(1), refs, baseSha: OLD_BASE });
  });

  async function begin(changes: Partial<RunTurnInput> = {}): Promise<TurnRecord> {
    const input = await world.host.turning({ turn: 3, epoch: 1, ...changes });
    const promptRef = await world.ports.blobs.put('Do it.\n');
    const { files, clock } = world.ports;
    const journal = await TurnJournal.open(files, SLUG, input.turn, clock);
    await beginTurn(world.ports, { ...input, prepared: { ...input.prepared, promptRef } }, journal, signal);
    return (await files.readTurn(SLUG, input.turn)) ?? assert.fail('nothing is on disk');
  }
  const kept = async (): Promise<string | undefined> => {
    const file = await world.ports.files.readFile(SLUG, KEPT);
    return file && Buffer.from(file).toString();
  };
  const ran = (): string[] => once.map(({ name }) => name);
  const order = (): string[] =>
    world.asked.filter((what) => /^(stop|remove|unpublished|create agent)/.test(what));

  it('removes what is of an earlier epoch, once', async () => {
    const removed = (): string[] => order().filter((what) => /^(stop|remove)/.test(what));
    await begin();
    assert.deepEqual(removed().toSorted(), [
      ...['remove agent', 'remove bundle', 'remove volumes', 'stop agent 0', 'stop bundle 1'],
    ]);
    world.exit('agent');
    await begin({ turn: 4 });
    assert.equal(removed().length, 5);
    world.exit('agent');
    await begin({ turn: 5, epoch: 2 });
    assert.equal(removed().length, 10);
  });

  it('removes nothing of one that never moved', async () => {
    await begin({ epoch: 0 });
    assert.deepEqual(order(), ['create agent']);
  });

  it('leaves the workspace that has the end of the last turn', async () => {
    const { baseSha } = await begin({ moved: 'kept' });
    assert.deepEqual([ran(), await kept(), baseSha], [[], undefined, OLD_BASE]);
  });

  describe('to which an older workspace was left', () => {
    const lost = { moved: 'lost', head: HEAD } as const;

    it('keeps its commits and empties it when nobody works in it any more, and begins from the forge', async () => {
      const record = await begin(lost);
      assert.equal(await kept(), 'commits');
      assert.deepEqual(order().slice(4), ['unpublished', 'remove', 'remove volumes', 'create agent']);
      assert.deepEqual(order().slice(0, 4).toSorted(), [
        ...['remove agent', 'remove bundle', 'stop agent 0', 'stop bundle 1'],
      ]);
      const { workspace, root } = world.ports.files.paths(SLUG);
      assert.deepEqual(
        once.at(-1)?.mounts.map(({ source }) => source),
        [workspace],
        'nothing else',
      );
      assert.deepEqual([record.baseSha, record.lost], [BASE, ['workspace', 'home']]);
      const prompt = readFileSync(`${root}/turns/3/prompt.md`, 'utf8');
      assert.doesNotMatch(prompt, /was lost/, 'it is told by what the prompt says of the move');
    });

    it('does so for one whose turns have all come to nothing', async () => {
      assert.equal((await begin({ ...lost, head: null })).baseSha, BASE);
      assert.deepEqual(ran(), ['unpublished', 'remove']);
    });

    it('keeps apart what a later move leaves', async () => {
      await begin(lost);
      world.exit('agent');
      world.host.answers = () => report({ bundle: 'later ones' });
      await begin({ ...lost, turn: 7, epoch: 3 });
      const later = await world.ports.files.readFile(SLUG, 'unpublished-2.bundle');
      assert.deepEqual([await kept(), Buffer.from(later ?? []).toString()], ['commits', 'later ones']);
    });

    for (const what of ['remove volumes', 'create agent'])
      it(`begins in the same way after a try that failed at “${what}”, with what the first one kept`, async () => {
        const busy = new Error('busy');
        world.fault = (asked) => (asked === what ? busy : undefined);
        await assert.rejects(begin({ ...lost, head: null }), /busy/);
        world.fault = () => undefined;
        world.host.answers = (spec) => {
          once.push(spec);
          return report({ bundle: 'half of them' });
        };
        assert.equal((await begin({ ...lost, head: null })).baseSha, BASE);
        assert.equal(await kept(), 'commits');
        assert.equal(ran().filter((name) => name === 'unpublished').length, 1);
      });

    it('touches nothing once its agent has begun: not when it is attached, nor when its container is gone', async () => {
      await begin(lost);
      const before = once.length;
      await begin(lost);
      world.lose('agent');
      await begin(lost);
      world.exit('agent');
      await begin({ ...lost, turn: 4 });
      assert.equal(once.length, before);
    });

    it('empties nothing while the forge is away, which alone knows what to keep', async () => {
      const away = new GitError('the forge is away', true, { away: true });
      const { refresh } = world.host;
      world.host.refresh = () => Promise.reject(away);
      await assert.rejects(begin(lost), away);
      assert.deepEqual(ran(), []);
      world.host.refresh = refresh;
      await begin(lost);
      assert.equal(await kept(), 'commits');
    });

    it('does not begin in it when it cannot be emptied', async () => {
      world.host.answers = ({ name }) => (name === 'remove' ? failed(1, 'busy') : report());
      await assert.rejects(begin(lost), /the container that removes it ended with 1: busy/);
      assert.ok(!order().includes('create agent'));
    });

    it('looks for nothing on a host that has none', async () => {
      await world.ports.files.removeTransient(SLUG);
      assert.equal((await begin(lost)).baseSha, BASE);
      assert.deepEqual([ran(), await kept()], [[], undefined]);
    });
  });
});
