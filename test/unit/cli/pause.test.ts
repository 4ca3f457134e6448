import assert from 'node:assert/strict';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import type { Orchestrator } from '../../../src/cli/base/orchestrator.js';
import { cliWith } from './small-world.js';

const pauses = [{ scope: 'alice/demo', since: 0, who: 'alice@desk' }] as const;

describe('pause and unpause', () => {
  const asked: string[][] = [];
  const pause: Orchestrator['pause'] = (action, scope) => {
    asked.push([action, scope]);
    return Promise.resolve({ action, changed: asked.length === 1, pauses });
  };
  beforeEach(() => {
    asked.length = 0;
  });

  it('are for every run, or for a repository’s, whatever the case', async () => {
    const cli = cliWith({ orchestrator: { pause } });
    assert.equal((await cli.run('pause')).stdout, 'every run: no new turn starts\n');
    assert.equal((await cli.run('pause', '--repo', 'Alice/Demo')).stdout, 'alice/demo: was paused already\n');
    assert.deepEqual(asked, [
      ['pause', '*'],
      ['pause', 'alice/demo'],
    ]);
  });

  it('say what still holds turns back', async () => {
    const { stdout } = await cliWith({ orchestrator: { pause } }).run('unpause');
    assert.match(
      stdout,
      /^every run: new turns start again\nstill: new turns of alice\/demo are paused by alice@desk/,
    );
    assert.match(stdout, /bot-bottle unpause --repo alice\/demo\n$/);
  });

  it('give JSON', async () => {
    const { stdout } = await cliWith({ orchestrator: { pause } }).run('unpause', '--json');
    assert.deepEqual(JSON.parse(stdout), { action: 'unpause', scope: '*', changed: true, pauses });
  });

  it('refuse what is no repository, without asking anybody', async () => {
    for (const repo of ['demo', 'a/b/c', '../b', 'a/', '*']) {
      const ran = await cliWith({}).run('pause', '--repo', repo);
      assert.equal(ran.code, EXIT.usage, repo);
      assert.match(ran.stderr, /such as alice\/demo/);
    }
  });

  it('say when somebody else had a later word', async () => {
    const superseded: Orchestrator['pause'] = () => Promise.resolve({ kind: 'superseded' });
    const ran = await cliWith({ orchestrator: { pause: superseded } }).run('pause');
    assert.equal(ran.code, EXIT.refused);
    assert.match(ran.stderr, /somebody has paused or unpaused/);
  });
});
