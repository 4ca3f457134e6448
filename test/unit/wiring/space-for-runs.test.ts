import assert from 'node:assert/strict';
import { spaceForRuns } from '../../../src/wiring/space-for-runs.js';

describe('the space that runs have', () => {
  const { XDG_STATE_HOME } = process.env;
  afterEach(() => {
    if (XDG_STATE_HOME === undefined) delete process.env['XDG_STATE_HOME'];
    else process.env['XDG_STATE_HOME'] = XDG_STATE_HOME;
  });

  const pathsOf = async (stateHome: string, engine: string | null): Promise<readonly string[]> => {
    process.env['XDG_STATE_HOME'] = stateHome;
    const { fileSystems, complete } = await spaceForRuns('/', engine);
    assert.equal(complete, engine !== '/not/there');
    return fileSystems.map(({ path }) => path);
  };

  it('is also that of syncs, before any has made its directory', async () => {
    assert.deepEqual(await pathsOf('/dev/shm/not/there', null), ['/', '/dev/shm']);
  });

  it('is counted once a file system', async () => {
    assert.deepEqual(await pathsOf('/not/there', '/'), ['/']);
  });

  it('is incomplete without the engine’s', async () => {
    assert.deepEqual(await pathsOf('/not/there', '/not/there'), ['/']);
  });
});
