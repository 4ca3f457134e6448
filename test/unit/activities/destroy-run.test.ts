import assert from 'node:assert/strict';
import { destroyRun } from '../../../src/activities/destroy-run.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import {
  BottleRuntimeError,
  ForgeHttpError,
  GitAccessError,
  GitError,
  GitOverrunError,
} from '../../../src/domain/base/errors.js';
import type { OneShotResult } from '../../../src/domain/bottle/bottle-runtime.js';
import { keepPushed } from '../../../src/activities/base/last-pushed.js';
import { BASE, BRANCH, HEAD, useHostWorld, failed, report, SLUG } from '../../support/host/host-world.js';
import { withoutPauses } from '../../support/scale/no-pauses.js';

const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;

describe('a run’s end', () => {
  withoutPauses();
  const world = useHostWorld();

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

  it('keeps those of a run that goes on elsewhere apart from what its end will keep here, should it come back', async () => {
    const elsewhere = { slug: SLUG, subject, branch: BRANCH, elsewhere: true };
    await destroyRun(world.ports, elsewhere);
    const metadata = { workflowId: 'w', repoId: 7, subject, branch: BRANCH, epoch: 2 };
    await world.ports.files.saveFile(SLUG, 'metadata.json', JSON.stringify(metadata));
    await destroyRun(world.ports, elsewhere);
    assert.equal(await kept(), undefined);
    for (const move of [1, 3])
      assert.ok(await world.ports.files.readFile(SLUG, `unpublished-${String(move)}.bundle`));
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

  describe('while git may not look at its repository', () => {
    const refused = new GitAccessError('the forge refused the token');
    let places: string[];
    beforeEach(() => {
      places = [];
      world.refresh = ({ owner, repo }) => {
        places.push(`${owner}/${repo}`);
        return repo === 'demo'
          ? Promise.reject(refused)
          : Promise.resolve({ startSha: BASE, baseBranch: 'main', baseSha: BASE, branchSha: null });
      };
    });
    const end = (repoId?: number, ports = world.ports) =>
      destroyRun(ports, { slug: SLUG, subject, branch: BRANCH, ...(repoId && { repoId }) });
    /** As a turn leaves it. */
    const noteWhoseItIs = () =>
      world.ports.files.saveFile(
        SLUG,
        'metadata.json',
        JSON.stringify({ workflowId: 'w', repoId: 7, subject, branch: BRANCH }),
      );

    it('removes nothing, as long as the forge does not say that it is gone', async () => {
      world.forge.places.set(7, { repoId: 7, owner: 'alice', repo: 'demo' });
      await assert.rejects(end(7), { away: true, retryable: true, message: refused.message });
      const expired = new ForgeHttpError(401, 'GET', '/', 'token expired');
      const forgeFor = () => ({ ...world.forge.bind(), whereIs: () => Promise.reject(expired) });
      const ports = { ...world.ports, forgeFor };
      await assert.rejects(end(7, ports), { away: true, retryable: true, message: expired.message });
      await noteWhoseItIs();
      await assert.rejects(end(), { away: true }, 'by the sweep, too');
      assert.ok(!isRemoved());
    });

    it('ends when the forge says so', async () => {
      world.forge.places.delete(7);
      await end(7);
      assert.equal(await kept(), 'commits');
      assert.ok(isRemoved());
    });

    it('looks where the repository is now', async () => {
      world.forge.places.set(7, { repoId: 7, owner: 'bob', repo: 'renamed' });
      await end(7);
      assert.deepEqual(places, ['alice/demo', 'bob/renamed']);
      assert.ok(isRemoved());
    });
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
  });

  for (const [what, fault] of [
    ['gone', new GitAccessError('not found')],
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

  describe('whose forge has gone on since', () => {
    const TIP = 'c'.repeat(40);
    const OLDER = 'd'.repeat(40);
    let left: (readonly string[])[];
    beforeEach(async () => {
      await world.begin({ refs: { startSha: OLDER, baseBranch: 'next', baseSha: OLDER, branchSha: null } });
      const refs = { startSha: BASE, baseBranch: 'next', baseSha: BASE, branchSha: null };
      await world.ports.files.writeTurn(SLUG, { ...blankTurnRecord(2), refs });
      await keepPushed(world.ports, SLUG, HEAD);
      left = [];
      world.refresh = (_repo, _branch, bases) => {
        assert.deepEqual(bases, ['next'], 'the base that the run works on');
        return Promise.resolve({ startSha: TIP, baseBranch: 'next', baseSha: TIP, branchSha: null });
      };
      world.answers = ({ name, argv }) => {
        if (name === 'unpublished') left.push(argv.filter((word) => /^[0-9a-f]{40}$/.test(word)));
        return report({ bundle: 'commits' });
      };
    });
    const end = (turn?: number) =>
      destroyRun(world.ports, {
        slug: SLUG,
        subject,
        branch: BRANCH,
        ...(turn === undefined ? {} : { turn }),
      });

    it('keeps nothing of what it saw there or published, where that is still in the history', async () => {
      world.isAncestor = (_repo, commit, tip) => Promise.resolve(tip === TIP && commit !== HEAD);
      await end(4);
      await world.ports.files.saveFile(SLUG, 'transcript/turn-2.tar', '');
      await end();
      assert.deepEqual(left, Array(2).fill([TIP, BASE, OLDER]), 'also where nobody knows the turn');
      world.isAncestor = () => Promise.resolve(true);
      await end(1);
      assert.deepEqual(left.at(-1), [TIP, OLDER, HEAD]);
    });

    it('keeps what is new at least, where all that was rewritten is too much', async () => {
      const { answers } = world;
      world.answers = (spec) =>
        spec.name === 'unpublished' && left.length === 0 ? (answers(spec), failed(70)) : answers(spec);
      await end(2);
      assert.deepEqual(left, [[TIP], [TIP, BASE, OLDER, HEAD]]);
      assert.equal(await kept(), 'commits');
      assert.deepEqual(world.warned, []);
    });

    it('counts all of that as the forge’s when its repository is too much for git', async () => {
      world.refresh = () => Promise.reject(new GitOverrunError('too long'));
      await end(2);
      assert.deepEqual(left, [[BASE, OLDER, HEAD]]);
    });
  });

  it('ends although the workspace cannot be read, and says so', async () => {
    world.answers = ({ name }) => (name === 'unpublished' ? failed(70) : report());
    await destroy();
    assert.deepEqual(world.warned, ['unpublished commits could not be kept']);
    assert.ok(isRemoved());
  });

  describe('whose agent left what cannot be removed', () => {
    const tries = (): number => world.asked.filter((what) => what === 'remove').length;
    const removing = (answer: () => OneShotResult): void => {
      world.answers = (spec) => (spec.name === 'remove' ? answer() : report());
    };
    const killed = failed(137);

    it('comes after three tries; what is full is left to the sweeper, without the secrets', async () => {
      const { files } = world.ports;
      await files.placeSecrets(SLUG, []);
      removing(() => killed);
      assert.deepEqual(await destroy(), ['what its agent wrote']);
      assert.equal(tries(), 3);
      assert.ok(!world.asked.includes('remove volumes'), 'the engine would walk them');
      assert.ok(world.asked.includes('unpin image'));
      const said = 'what its agent wrote could not be removed: the run ends, the sweeper tries again';
      assert.deepEqual(world.warned, [said]);
      assert.deepEqual(
        (await files.leftovers()).map(({ slug, secretsAt }) => [slug, secretsAt]),
        [[SLUG, null]],
      );
    });

    it('leaves nothing when the next try removes it', async () => {
      removing(() => (tries() < 3 ? killed : report()));
      assert.deepEqual(await destroy(), []);
      assert.deepEqual(await world.ports.files.leftovers(), []);
      assert.deepEqual(world.warned, []);
    });

    it('waits for an engine that is away', async () => {
      const away = new BottleRuntimeError('the engine is away', true, { away: true });
      removing(() => {
        throw away;
      });
      await assert.rejects(destroy(), away);
      assert.equal(tries(), 1);
    });

    it('comes when the engine cannot remove a volume or a container', async () => {
      const { runtime } = world.ports;
      const broken = () => Promise.reject(new BottleRuntimeError('too many open files', true));
      Object.assign(runtime, { removeVolumes: broken });
      assert.deepEqual(await destroy(), ['its volumes']);
      assert.deepEqual(await world.ports.files.leftovers(), []);
      Object.assign(runtime, { remove: broken });
      assert.deepEqual(await destroy(), ['its containers']);
    });
  });

  it('empties the volumes that are there before the engine removes them', async () => {
    const home = { type: 'volume', name: `bb-${SLUG}-home`, slug: SLUG, role: 'home' } as const;
    Object.assign(world.ports.runtime, {
      list: () => Promise.resolve([home]),
      removeObject: () => undefined,
    });
    const { answers } = world;
    const emptied: unknown[] = [];
    world.answers = (spec) => {
      if (spec.name === 'remove') emptied.push(spec.volumes, spec.argv.slice(3));
      return answers(spec);
    };
    await destroy();
    const [volumes, directories] = emptied;
    assert.deepEqual(volumes, [{ kind: 'home', target: '/home', readOnly: false }]);
    assert.deepEqual(directories, ['/tree0', '/tree1', '/home']);
    assert.ok(world.asked.indexOf('remove') < world.asked.indexOf('remove volumes'));
  });

  it('asks no forge for the commits of a run that never had a branch to know of', async () => {
    world.refresh = () => assert.fail('nobody knows where');
    await destroyRun(world.ports, { slug: SLUG, subject: null, branch: null });
    assert.equal(await kept(), 'commits', 'by the name that its slug gives');
  });
});
