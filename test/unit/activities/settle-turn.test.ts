import assert from 'node:assert/strict';
import type { SettleTurnInput } from '../../../src/activities/ports/inputs.js';
import { noteScan } from '../../../src/activities/publish/publish-scans.js';
import { settleTurn } from '../../../src/activities/settle-turn.js';
import { GitError } from '../../../src/domain/base/errors.js';
import type { DoneStatus } from '../../../src/domain/run/turn.js';
import {
  BASE,
  HEAD,
  useHostWorld,
  failed,
  report,
  SLUG,
  type LeftWork,
} from '../../support/host/host-world.js';

const STUCK = 'c'.repeat(40);

describe('settling a turn', () => {
  const world = useHostWorld();
  beforeEach(async () => {
    await world.begin();
  });

  const settle = async (changes: Partial<SettleTurnInput> = {}, summary = '') =>
    settleTurn(world.ports, await world.settling(changes, summary));
  async function ended(status: DoneStatus, drafts = false): Promise<SettleTurnInput> {
    const input = await world.settling();
    const done = { id: 'done1', status, summaryRef: '' };
    return { ...input, result: { ...input.result, done }, prepared: { ...input.prepared, drafts } };
  }
  const leaves = (work: LeftWork): void => {
    world.answers = ({ name }) =>
      name === 'patch' ? { exitCode: 0, stdout: Buffer.from('the patch'), stderr: '' } : report(work);
  };
  const titles = (): string[] => [...world.forge.pulls.values()].map(({ title }) => title);

  it('makes a success a pull request with the issue’s title and the summary', async () => {
    const { publish, head } = await settle({}, 'All done.');
    assert.deepEqual([publish.kind, head], ['published', HEAD]);
    assert.deepEqual(titles(), ['Issue 12']);
    assert.match(world.forge.pulls.get(31)?.body ?? '', /^All done\./);
  });

  it('makes anything else a branch, or a draft where the bottle wants drafts', async () => {
    assert.deepEqual((await settle(await ended('blocked'))).publish, { kind: 'pushed', head: HEAD });
    assert.deepEqual(titles(), []);
    assert.equal((await settle(await ended('blocked', true))).publish.kind, 'published');
    assert.deepEqual(titles(), ['WIP: Issue 12']);
  });

  it('publishes nothing when STUCK.md is new, but once it is an old one', async () => {
    leaves({ stuck: STUCK, bundle: 'commits' });
    const first = await settle();
    assert.deepEqual([first.publish.kind, first.stuck, first.stuckHash], ['nothing', true, STUCK]);
    assert.ok(!world.asked.includes('push'));
    const second = await settle({ stuckHash: STUCK });
    assert.deepEqual([second.publish.kind, second.stuck, second.stuckHash], ['published', false, STUCK]);
  });

  it('publishes in spite of a STUCK.md that the repository has itself, until the agent changes it', async () => {
    leaves({ stuck: STUCK, bundle: 'commits' });
    world.stuckBlobs.set(BASE, STUCK);
    const first = await settle();
    assert.deepEqual([first.publish.kind, first.stuck, first.stuckHash], ['published', false, STUCK]);
    assert.equal((await settle()).stuck, false, 'repeated');
    leaves({ stuck: 'd'.repeat(40), bundle: 'commits' });
    assert.deepEqual([(await settle()).stuck, (await settle({ stuckHash: STUCK })).stuck], [true, true]);
  });

  it('needs no mirror to know that STUCK.md: its repository may have a new name by now', async () => {
    leaves({ stuck: STUCK, bundle: 'commits' });
    const git = { ...world.ports.git, blobsOf: () => Promise.reject(new GitError('no mirror', true)) };
    const settleRenamed = async () => settleTurn({ ...world.ports, git }, await world.settling());
    await world.begin({ knownStuck: [STUCK] });
    const first = await settleRenamed();
    assert.deepEqual([first.publish.kind, first.stuck], ['published', false]);
    await world.begin({ knownStuck: [] });
    const second = await settleRenamed();
    assert.deepEqual([second.publish.kind, second.stuck], ['nothing', true]);
  });

  it('publishes nothing of a run that is ending, or of which a message was set aside', async () => {
    const { publish } = await settle({ publish: false });
    assert.ok(publish.kind === 'nothing');
    assert.match(publish.reason, /was not asked for any more/, 'as one that lost its label');
    await world.begin({ setAside: 'it killed two workers' });
    assert.equal((await settle()).publish.kind, 'nothing');
    assert.ok(!world.asked.includes('push'));
  });

  it('says why the work could not be taken out', async () => {
    world.answers = () => failed(67);
    const { publish, head } = await settle();
    assert.ok(publish.kind === 'refused');
    assert.match(publish.reason, /alternates/);
    assert.equal(head, null);
  });

  it('has what was found in an earlier open_pr, though the work cannot be taken out any more', async () => {
    const found = { scanner: 'gitleaks 8', outcome: 'found', findings: 1, rules: ['aws'] } as const;
    await noteScan(world.ports, { slug: SLUG, turn: 1 }, found);
    world.answers = () => failed(67);
    assert.deepEqual((await settle()).secretScans, [found]);
  });

  it('publishes nothing of a turn that never began', async () => {
    const { publish } = await settle({ turn: 2 });
    assert.deepEqual(publish, { kind: 'refused', reason: 'the turn never began' });
  });

  it('keeps what is not committed as a patch, and lists it without STUCK.md', async () => {
    leaves({ uncommitted: ['a.txt', 'STUCK.md', 'b.txt'], bundle: 'commits' });
    const { uncommitted, uncommittedRef } = await settle();
    assert.equal(uncommitted, 3);
    assert.equal(await world.ports.blobs.getText(uncommittedRef ?? ''), 'a.txt\nb.txt');
    const patch = await world.ports.files.readFile(SLUG, 'turns/1/uncommitted.patch');
    assert.equal(Buffer.from(patch ?? []).toString(), 'the patch');
  });

  it('lists it all the same when the patch cannot be made', async () => {
    world.answers = ({ name }) => (name === 'patch' ? failed(1) : report({ uncommitted: ['a'] }));
    assert.notEqual((await settle()).uncommittedRef, null);
    assert.deepEqual(world.warned.at(-1), 'what is not committed could not be kept as a patch');
    assert.equal(await world.ports.files.readFile(SLUG, 'turns/1/uncommitted.patch'), undefined);
  });

  for (const [what, bytes, stderr, isSaid] of [
    ['is whole', 100, 'a warning of git\n', false],
    ['is cut', 8 * 1024 * 1024, '', true],
    ['lacks files', 100, '\nleft out of the patch: 2\n', true],
  ] as const)
    it(`${isSaid ? 'says so' : 'says nothing'} when the patch ${what}`, async () => {
      world.answers = ({ name }) =>
        name === 'patch'
          ? { exitCode: 0, stdout: new Uint8Array(bytes), stderr }
          : report({ uncommitted: ['a'] });
      await settle();
      const isWarned = world.warned.includes('uncommitted.patch is not all that was left');
      assert.equal(isWarned, isSaid);
    });

  it('has no list when only STUCK.md is not committed', async () => {
    leaves({ uncommitted: ['STUCK.md'] });
    assert.equal((await settle()).uncommittedRef, null);
    assert.ok(!world.asked.includes('patch'));
  });
});
