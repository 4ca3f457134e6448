import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PATIENCE } from '../support/scale/patience.js';
import { UnprivilegedUser } from '../support/unprivileged/unprivileged-user.js';

/** Far more than either run takes, so that a hang is told with its output. */
const RUN_MS = 300_000 * PATIENCE;
/**
 * Of the container suite, what reads or writes files of containers: the rest does not depend on who asks the engine. As root,
 * they run only here.
 */
const CONTAINERS = ['archive', 'disk-usage', 'isolation', 'transcript'].map(
  (name) => `test/integration/docker/${name}.test.ts`,
);

interface Report {
  readonly stats: { readonly passes: number; readonly pending: number };
  readonly failures: readonly {
    readonly fullTitle: string;
    readonly err: { readonly message?: string; readonly stack?: string };
  }[];
}

describe('as an unprivileged user of the group of the engine’s socket', function () {
  this.timeout(320_000);

  if (process.getuid?.() !== 0) {
    it('everything else ran: this is such a user', () => {
      assert.notEqual(process.getuid?.(), 0);
    });
    return;
  }

  let user: UnprivilegedUser;
  let wasRemoved = false;

  before(async () => {
    user = await UnprivilegedUser.make();
  });
  after(async () => {
    if (!wasRemoved) await user.remove();
  });

  /** Runs mocha as the user; every test has to pass, and none may be left out. */
  async function pass(name: string, atLeast: number, args: readonly string[]): Promise<void> {
    const result = user.file(`${name}.json`);
    const mocha = ['node_modules/mocha/bin/mocha.js', '--reporter', 'json', '--reporter-option'];
    const { exitCode, output } = await user.node([...mocha, `output=${result}`, ...args], RUN_MS);
    const text = await readFile(result, 'utf8').catch(() => undefined);
    assert.ok(text !== undefined, `no result (exit code ${String(exitCode)}):\n${output.slice(-8000)}`);
    const { stats, failures } = JSON.parse(text) as Report;
    const problems = failures.map(({ fullTitle, err }) => `${fullTitle}\n${err.stack ?? err.message ?? ''}`);
    assert.deepEqual(problems, [], `${problems.join('\n\n')}\n${output.slice(-8000)}`);
    assert.equal(exitCode, 0, output.slice(-8000));
    assert.equal(stats.pending, 0);
    assert.ok(stats.passes >= atLeast, `${String(stats.passes)} tests`);
  }

  it('has no more rights than that', async () => {
    const script = `
      const { readFileSync } = require('node:fs');
      const field = (name) => new RegExp('^' + name + ':\\\\s*(.*?)\\\\s*$', 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1];
      console.log(JSON.stringify([process.getuid(), process.getgid(), process.getgroups().length, field('CapEff'), field('CapBnd')]));`;
    const { exitCode, output } = await user.node(['-e', script], 10_000);
    assert.equal(exitCode, 0, output);
    assert.deepEqual(JSON.parse(output), [65_534, 65_534, 2, '0'.repeat(16), '0'.repeat(16)]);
  });

  it('the container suite passes', async () => {
    await pass('containers', 23, ['--parallel', '--jobs', '2', ...CONTAINERS]);
  });

  it('an issue lives its whole life', async () => {
    await pass('life', 1, ['test/e2e/whole-life.test.ts']);
  });

  it('nothing of that user is left', async () => {
    const files = (await user.temporaryFiles()).filter((name) => !name.endsWith('.json'));
    wasRemoved = true;
    assert.deepEqual(await user.remove(), [], 'processes or containers');
    assert.deepEqual(files, []);
  });
});
