import assert from 'node:assert/strict';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput, SettleTurnInput } from '../../../src/activities/ports/inputs.js';
import { keptSnapshots } from '../../../src/activities/transcript/kept-snapshots.js';
import { restoreSession } from '../../../src/activities/transcript/restore-session.js';
import { snapshotSession } from '../../../src/activities/transcript/snapshot-session.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { PREPARED } from '../../support/machine/world.js';
import { runsAsUser } from '../../support/unprivileged/runs-as-user.js';
import { MIB, withBottles } from './support/test-bottle.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const PATHS = ['.cli/deep/sessions', '.cli/absent', '.cli/state.db', '.other'];

describe('docker: a session of several paths', () => {
  if (!runsAsUser()) return;
  const bottle = withBottles();
  let files: LocalRunFiles;
  let ports: HostPorts;
  let warnings: string[];

  beforeEach(async () => {
    const { dir, runtime, slug } = bottle();
    files = runFilesIn(`${dir}/home`);
    await files.prepare(slug);
    warnings = [];
    ports = {
      files,
      runtime,
      settings: { maxTranscriptBytes: MIB },
      provider: () => ({
        name: 'scripted',
        version: null,
        sessionPaths: PATHS.map((path) => `/home/agent/${path}`),
      }),
      log: { warn: (_: unknown, text: string) => warnings.push(text) },
    } as unknown as HostPorts;
  });

  async function run(script: string): Promise<string[]> {
    await bottle().shell(script);
    await bottle().createBoth();
    const { lines } = await bottle().runTurn();
    return lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
  }
  const save = (turn: number): Promise<string | null> =>
    snapshotSession(ports, { slug: bottle().slug, turn, prepared: PREPARED } as SettleTurnInput);

  /** Containers and volumes are new, and the session is what was kept. */
  async function restoreAnew(): Promise<void> {
    const { runtime, slug } = bottle();
    await runtime.remove(slug, 'agent');
    await runtime.remove(slug, 'bundle');
    await runtime.removeVolumes(slug);
    await bottle().createBoth();
    const input = { slug, turn: 2, prepared: PREPARED } as RunTurnInput;
    await restoreSession(ports, input);
    // A worker that died in the middle does it again.
    await restoreSession(ports, input);
  }

  it('comes back to the same places with rights and owner, and the CLI can go on writing', async () => {
    await run(
      'umask 077; mkdir -p ~/.cli/deep/sessions/a ~/.other; echo one > ~/.cli/deep/sessions/a/log; ' +
        'echo two > ~/.cli/state.db; chmod 640 ~/.cli/state.db; echo three > ~/.other/x; echo no > ~/.cli/cache; ' +
        'chmod 755 ~/.cli',
    );
    assert.match((await save(1)) ?? '', /^[0-9a-f]{64}$/);
    await restoreAnew();
    const lines = await run(
      'cd ~ && cat .cli/deep/sessions/a/log .cli/state.db .other/x && ls .cli && ' +
        'stat -c "%n %u:%g %a" .cli .cli/deep .cli/deep/sessions .cli/deep/sessions/a/log .cli/state.db && ' +
        'touch .cli/new .cli/deep/new .cli/deep/sessions/new && echo more >> .cli/state.db && echo writable',
    );
    assert.deepEqual(lines, [
      'one',
      'two',
      'three',
      'deep',
      'state.db',
      '.cli 1000:1000 700',
      '.cli/deep 1000:1000 700',
      '.cli/deep/sessions 1000:1000 700',
      '.cli/deep/sessions/a/log 1000:1000 600',
      '.cli/state.db 1000:1000 640',
      'writable',
    ]);
  });

  it('with hard links within and across its paths comes back as files, and reaches nothing else', async () => {
    await run(
      'mkdir -p ~/.cli/deep/sessions ~/.other; echo outside > ~/secret; cd ~/.cli/deep/sessions; ' +
        'ln ~/secret from-outside; echo in > a; ln a b; ln a ~/.other/across',
    );
    await save(1);
    await restoreAnew();
    const lines = await run('cd ~/.cli/deep/sessions; cat from-outside a b ~/.other/across; ls ~');
    assert.deepEqual(lines, ['outside', 'in', 'in', 'in']);
  });

  it('with links out of its paths restores the links and writes through none of them', async () => {
    await run(
      'mkdir -p ~/.cli/deep ~/.other /workspace/there; ln -s /workspace/there ~/.cli/deep/sessions; ' +
        'echo db > ~/.cli/state.db',
    );
    await save(1);
    await restoreAnew();
    const lines = await run('cd ~; readlink .cli/deep/sessions; cat .cli/state.db; ls /workspace/there');
    assert.deepEqual(lines, ['/workspace/there', 'db']);
    assert.deepEqual(warnings, []);
  });

  it('with a link that the engine refuses loses that part only, and the run goes on', async () => {
    await run(
      'mkdir -p ~/.cli/deep/sessions; ln -s ../../../../../../etc/passwd ~/.cli/deep/sessions/up; ' +
        'echo db > ~/.cli/state.db',
    );
    await save(1);
    await restoreAnew();
    assert.deepEqual(await run('cat ~/.cli/state.db'), ['db']);
    assert.deepEqual(new Set(warnings), new Set(['the session could not be restored whole']));
  });

  it('with a sparse file is over the limit after a moment, and the snapshot before stays', async () => {
    const { slug, runtime } = bottle();
    await run('mkdir -p ~/.other; echo small > ~/.other/x');
    await save(1);
    await runtime.remove(slug, 'agent');
    await run('truncate -s 4G ~/.other/sparse');
    assert.equal(await save(2), null);
    assert.deepEqual(await keptSnapshots(files, slug), ['transcript/turn-1.tar']);
    await restoreAnew();
    assert.deepEqual(await run('ls ~/.other'), ['x']);
  });
});
