import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../../../src/activities/ports/inputs.js';
import { fetchRefs } from '../../../../../src/activities/turn/begin/fetch-refs.js';
import { WHOLE_REPOSITORY, type WorkspaceOptions } from '../../../../../src/domain/bottle/bottle-setup.js';
import type { RunPaths } from '../../../../../src/domain/run/run-files.js';
import { sampleBottle } from '../../../../support/manifests/samples.js';

const SHA = 'a'.repeat(40);

describe('what is fetched for a workspace', () => {
  const asked: unknown[] = [];
  const leftOut = [{ path: 'lib', reason: 'gone' }];
  const git = {
    blobsOf: (_repo: unknown, path: string, commits: readonly string[]) =>
      Promise.resolve(commits.map((commit) => `${path} of ${commit}`)),
    refresh: (...[, , , , until]: Parameters<HostPorts['git']['refresh']>) => {
      until?.throwIfAborted();
      return Promise.resolve({ startSha: SHA, baseBranch: 'main', baseSha: SHA, branchSha: null });
    },
    writeRefsBundle: () => Promise.resolve(),
    writeSubmodules: (...[, , directory, rules]: Parameters<HostPorts['git']['writeSubmodules']>) => {
      asked.push(['submodules', directory, rules]);
      return Promise.resolve({ placed: [], leftOut });
    },
  };
  const files = { readFile: () => Promise.resolve(undefined), readTurn: () => Promise.resolve(undefined) };
  const fetch = (workspace: Partial<WorkspaceOptions>, signal = new AbortController().signal) =>
    fetchRefs(
      { git, files } as unknown as HostPorts,
      {
        slug: 's',
        turn: 1,
        subject: {},
        prepared: { branch: 'b', baseBranches: [] },
      } as unknown as RunTurnInput,
      sampleBottle({ workspace: { ...WHOLE_REPOSITORY, ...workspace } }),
      { turnInput: '/turn', isNew: true } as RunPaths & { readonly isNew: boolean },
      signal,
    );
  beforeEach(() => {
    asked.length = 0;
  });

  it('is not waited for in a turn that is stopped', async () => {
    await assert.rejects(fetch({}, AbortSignal.abort(new Error('stopped'))), /stopped/);
  });

  it('comes with the STUCK.md that the repository has itself', async () => {
    assert.deepEqual((await fetch({})).knownStuck, [`STUCK.md of ${SHA}`]);
  });

  it('has no submodules unless the bottle asks for them', async () => {
    const refs = await fetch({ submoduleRepos: ['a/b'] });
    assert.deepEqual([asked, refs.submodules.leftOut], [[], []]);
  });

  it('has them as the bottle says, beside the bundle', async () => {
    const refs = await fetch({ submodules: true, submoduleRepos: ['a/b'], sparse: ['src'] });
    assert.deepEqual(asked, [['submodules', '/turn', { named: ['a/b'], sparse: ['src'] }]]);
    assert.deepEqual(refs.submodules.leftOut, leftOut);
  });
});
