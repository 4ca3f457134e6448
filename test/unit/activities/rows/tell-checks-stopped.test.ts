import assert from 'node:assert/strict';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import { tellChecksStopped } from '../../../../src/activities/rows/tell-checks-stopped.js';
import { FakeForge } from '../../../support/webhook/fake-forge.js';

describe('telling people that failed checks wake the run no more', () => {
  const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
  const told = async (reacts: boolean): Promise<string[][]> => {
    const left: string[][] = [];
    const postComment = (number: number, body: string, marker: string): Promise<void> => {
      left.push([String(number), body, marker]);
      return Promise.resolve();
    };
    const ports = { forgeFor: () => ({ ...new FakeForge().bind(), postComment }), settings: { reacts } };
    const run = { workflowId: 'w', repoId: 7, subject, slug: 's', turn: 4, pr: 31 };
    await tellChecksStopped(ports as unknown as HomePorts, run);
    return left;
  };

  it('is a comment on the pull request, marked by the turn, and none with FORGE_ACK=none', async () => {
    const [[number, body = '', marker] = []] = await told(true);
    assert.deepEqual([number, marker], ['31', 'checks-stopped-s-4']);
    assert.match(
      body,
      /^The checks of this pull request have failed again\. .*three times in a row.*wait for a person/,
    );
    assert.deepEqual(await told(false), []);
  });
});
