import assert from 'node:assert/strict';
import { movedTo, whereItIs } from '../../../../src/activities/prepare/where-it-is.js';
import type { RunRef } from '../../../../src/activities/ports/inputs.js';
import { ForgeHttpError, GitAccessError, GitError } from '../../../../src/domain/base/errors.js';
import { SUBJECT } from '../../../support/machine/world.js';
import { FakeForge } from '../../../support/webhook/fake-forge.js';

const RUN: RunRef = { workflowId: 'gitea:alice/demo#12', repoId: 7, subject: SUBJECT, slug: 's', turn: 1 };
const MOVED = { repoId: 7, owner: 'bob', repo: 'renamed' };
const GONE = new ForgeHttpError(404, 'GET', '/', 'not found');

describe('a repository that is not where the run believes it to be', () => {
  let forge: FakeForge;
  beforeEach(() => {
    forge = new FakeForge();
  });
  const forgeFor = () => forge.bind();

  it('is looked for by its id, and by no name', async () => {
    assert.equal(await movedTo(forgeFor, RUN), undefined, 'it is where it was');
    forge.places.set(7, MOVED);
    assert.deepEqual(await movedTo(forgeFor, RUN), MOVED);
    for (const half of [{ owner: 'bob' }, { repo: 'renamed' }]) {
      forge.places.set(7, { repoId: 7, owner: 'alice', repo: 'demo', ...half });
      assert.deepEqual(await movedTo(forgeFor, RUN), { repoId: 7, owner: 'alice', repo: 'demo', ...half });
    }
    forge.places.delete(7);
    assert.equal(await movedTo(forgeFor, RUN), undefined, 'it is gone');
    forge.calls.length = 0;
    assert.equal(await movedTo(forgeFor, { ...RUN, repoId: null }), undefined);
    assert.deepEqual(forge.calls, []);
  });

  /** Work that fails with this at the old place. */
  const tried = async (fault: Error): Promise<string[]> => {
    const places: string[] = [];
    await whereItIs(forgeFor, RUN, ({ subject, slug }) => {
      places.push(`${subject.owner}/${subject.repo}#${String(subject.number)} ${slug}`);
      return subject.owner === 'alice' ? Promise.reject(fault) : Promise.resolve();
    });
    return places;
  };

  it('is worked on where it is now, by forge and by git, once', async () => {
    forge.places.set(7, MOVED);
    for (const fault of [GONE, new GitAccessError('repository not found')])
      assert.deepEqual(await tried(fault), ['alice/demo#12 s', 'bob/renamed#12 s']);
  });

  it('is not looked for after another failure, which would come again', async () => {
    forge.places.set(7, MOVED);
    const away = new ForgeHttpError(503, 'GET', '/', 'away');
    for (const fault of [away, new GitError('timed out', true), new Error('a bug')])
      await assert.rejects(tried(fault), fault);
    assert.deepEqual(forge.calls, []);
  });

  it('is worked on once more in the same place, when it was not found there for a moment', async () => {
    let tries = 0;
    const work = () => ((tries += 1) === 1 ? Promise.reject(GONE) : Promise.resolve('done'));
    forge.places.set(7, { repoId: 7, owner: 'alice', repo: 'demo' });
    assert.equal(await whereItIs(forgeFor, RUN, work), 'done');
  });

  it('fails as it did when the forge does not know it elsewhere', async () => {
    await assert.rejects(tried(GONE), GONE);
  });

  it('is not looked for where the work is done', async () => {
    assert.equal(await whereItIs(forgeFor, RUN, () => Promise.resolve('done')), 'done');
    assert.deepEqual(forge.calls, []);
  });
});
