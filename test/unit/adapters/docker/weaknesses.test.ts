import assert from 'node:assert/strict';
import type Docker from 'dockerode';
import { LABEL_ROLE, LABEL_SLUG } from '../../../../src/adapters/docker/names-and-labels.js';
import { weaknessesOf } from '../../../../src/adapters/docker/weaknesses.js';

describe('what the workspace of a sync may be', () => {
  const wrong = (runDir: string): boolean => {
    const info = {
      Config: { User: '1000:1000', Labels: { [LABEL_SLUG]: 'sync-a-b-1-abcde', [LABEL_ROLE]: 'agent' } },
      HostConfig: {},
      NetworkSettings: { Networks: {} },
      Mounts: [
        {
          ...{ Type: 'bind', Source: `/home/a/.local/state/forklift/runs/${runDir}/workspace` },
          ...{ Destination: '/workspace', Propagation: 'rprivate', RW: true },
        },
      ],
    } as unknown as Docker.ContainerInspectInfo;
    return weaknessesOf(info).includes('has something else mounted at /workspace');
  };

  it('is that of a run directory, however its repository’s name begins', () => {
    for (const repo of ['demo', '.profile', '_site', '-x'])
      assert.equal(wrong(`${repo}_20261124_215603`), false, repo);
    for (const other of ['demo', '_20261124_215603', '../x/demo_20261124_215603/y'])
      assert.equal(wrong(other), true, other);
  });
});
