import assert from 'node:assert/strict';
import { destroyRun } from '../../../src/activities/destroy-run.js';
import { BottleRuntimeError, GitError, GitOverrunError } from '../../../src/domain/base/errors.js';
import { BRANCH, HostWorld, report, SLUG } from '../../support/host/host-world.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;

describe('a run’s end', () => {
  const newPath = useNewPaths();
  let world: HostWorld;
  beforeEach(async () => {
    world = await HostWorld.open(newPath());
  });

  const destroy = () => destroyRun(world.ports, { slug: SLUG, subject, branch: BRANCH });
  const kept = async () => {
    const file = await world.ports.files.readFile(SLUG, 'unpublished.bundle');
    return file && Buffer.from(file).toString();
  };
  const isRemoved = (): boolean => world.asked.some((what) => what.startsWith('remove'));

  it('keeps the commits that nobody has before anything is removed', async () => {
    await destroy();
    assert.equal(await kept(), 'commits');
    const [first] = world.asked.filter((what) => /^(unpublished|remove)/.test(what));
    assert.equal(first, 'unpublished');
    assert.ok(isRemoved());
  });

  it('keeps nothing when the forge has all of them', async () => {
    world.answers = () => report();
    await destroy();
    assert.equal(await kept(), undefined);
    assert.ok(isRemoved());
  });

  it('removes nothing while the forge is away', async () => {
    const away = new GitError('the forge is away', true, { away: true });
    world.refresh = () => Promise.reject(away);
    await assert.rejects(destroy(), away);
    assert.ok(!isRemoved());
  });

  it('removes nothing while the engine is away', async () => {
    const away = new BottleRuntimeError('the engine is away', true, { away: true });
    world.answers = () => {
      throw away;
    };
    await assert.rejects(destroy(), away);
    assert.ok(!isRemoved());
  });

  it('removes nothing while the disk takes no commits', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    world.ports.files.saveFile = () => Promise.reject(full);
    await assert.rejects(destroy(), full);
    assert.ok(!isRemoved());
  }).timeout(20_000);

  for (const [what, fault] of [
    ['gone', new GitError('not found', false)],
    ['too much for git', new GitOverrunError('too long', 'it takes too long')],
  ] as const)
    it(`keeps every commit when the repository is ${what}`, async () => {
      world.refresh = () => Promise.reject(fault);
      const known: (readonly string[])[] = [];
      world.answers = ({ name, argv }) => {
        if (name === 'unpublished') known.push(argv.filter((word) => /^[0-9a-f]{40}$/.test(word)));
        return report({ bundle: 'all of them' });
      };
      await destroy();
      assert.deepEqual([await kept(), known], ['all of them', [[]]]);
      assert.ok(isRemoved());
    });

  it('ends although the workspace cannot be read, and says so', async () => {
    world.answers = ({ name }) =>
      name === 'unpublished' ? { exitCode: 70, stdout: new Uint8Array(), stderr: '' } : report();
    await destroy();
    assert.deepEqual(world.warned, ['unpublished commits could not be kept']);
    assert.ok(isRemoved());
  });

  it('fails when the workspace cannot be emptied, with its volumes left for the next try', async () => {
    world.answers = ({ name }) =>
      name === 'remove' ? { exitCode: 1, stdout: new Uint8Array(), stderr: 'busy' } : report();
    await assert.rejects(destroy(), /could not be emptied: busy/);
    assert.ok(!world.asked.includes('remove volumes'));
  });

  it('asks no forge for the commits of a run that never had a branch to know of', async () => {
    world.refresh = () => assert.fail('nobody knows where');
    await destroyRun(world.ports, { slug: SLUG, subject: null, branch: null });
    assert.equal(await kept(), 'commits', 'by the name that its slug gives');
  });
});
