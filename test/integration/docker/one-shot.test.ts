import assert from 'node:assert/strict';
import { access, chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BottleRuntimeError, InvalidInputError } from '../../../src/domain/base/errors.js';
import type { TestBottle } from './support/test-bottle.js';
import { MIB, withBottles } from './support/test-bottle.js';

describe('docker: one-shot containers', () => {
  const bottle = withBottles();
  const final = (error: unknown): boolean => error instanceof BottleRuntimeError && !error.retryable;

  it('gives exit code, binary standard output and standard error apart', async () => {
    const result = await bottle().runtime.runOnce(
      bottle().oneShot(`printf 'a\\000\\377\\nb'; echo "to err" >&2; exit 4`, { env: { X: '1' } }),
    );
    assert.deepEqual([...result.stdout], [97, 0, 255, 10, 98]);
    assert.equal(result.stderr, 'to err\n');
    assert.equal(result.exitCode, 4);
  });

  it('takes output up to the cap exactly, byte for byte', async () => {
    const size = 5 * MIB + 3;
    const spec = bottle().oneShot(`head -c ${String(size)} /dev/zero | tr '\\0' x`, { maxOutputBytes: size });
    const { stdout } = await bottle().runtime.runOnce(spec);
    assert.equal(stdout.length, size);
    assert.ok(stdout.every((byte) => byte === 120));
    await assert.rejects(bottle().runtime.runOnce({ ...spec, maxOutputBytes: size - 1 }), final);
  });

  it('stops one that writes without end, and keeps only the start of its standard error', async () => {
    await assert.rejects(bottle().runtime.runOnce(bottle().oneShot('yes')), final);
    const { stderr } = await bottle().runtime.runOnce(bottle().oneShot('yes | head -c 100000 >&2'));
    assert.equal(stderr.length, 16 * 1024);
  });

  it('kills one that takes too long: final for the agent, to be repeated for a remover', async () => {
    const started = Date.now();
    const slow = bottle().oneShot('trap "" TERM; sleep 60', { timeoutMs: 700 });
    await assert.rejects(bottle().runtime.runOnce(slow), final);
    await assert.rejects(bottle().runtime.runOnce({ ...slow, user: 'remover' }), (error) => {
      return error instanceof BottleRuntimeError && error.retryable;
    });
    assert.ok(Date.now() - started < 10_000);
  });

  it('leaves no container behind after success, failure, time-out and a program that is not there', async () => {
    const { runtime, slug } = bottle();
    await runtime.runOnce(bottle().oneShot('true'));
    await assert.rejects(runtime.runOnce(bottle().oneShot('yes')));
    await assert.rejects(runtime.runOnce(bottle().oneShot('sleep 60', { timeoutMs: 500 })));
    const missing = await runtime.runOnce(bottle().oneShot('', { argv: ['/no/such/program'] }));
    assert.equal(missing.exitCode, 127);
    assert.match(missing.stderr, /no\/such\/program/);
    await assert.rejects(
      runtime.runOnce(bottle().oneShot('true', { image: 'bot-bottle/no-such:image' })),
      final,
    );
    assert.deepEqual(await runtime.list(slug), []);
  });

  it('removes the leftover of an attempt that was cut off', async () => {
    const { runtime, slug, docker } = bottle();
    const cut = runtime.runOnce(bottle().oneShot('exec sleep 60')).catch((error: unknown) => error);
    await waitUntilRunning(bottle());
    const { stdout } = await runtime.runOnce(bottle().oneShot('echo second'));
    assert.equal(Buffer.from(stdout).toString(), 'second\n');
    const first = await cut;
    assert.ok(
      first instanceof BottleRuntimeError ||
        (typeof first === 'object' && first !== null && 'exitCode' in first && first.exitCode === 137),
    );
    const all = await docker.listContainers({ all: true, filters: { name: [slug] } });
    assert.deepEqual(all, []);
  });

  it('runs as the agent without a capability, network or write access to what is mounted read-only', async () => {
    const mounts = [{ source: join(bottle().dir, 'workspace'), target: '/workspace', readOnly: true }];
    const { stdout } = await bottle().runtime.runOnce(
      bottle().oneShot(
        `id -u; id -g; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t' ' '
         ls /sys/class/net; touch /workspace/x 2>&1; touch /x 2>&1; touch /tmp/x && echo tmp`,
        { mounts },
      ),
    );
    assert.deepEqual(Buffer.from(stdout).toString().trim().split('\n'), [
      '1000',
      '1000',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'lo',
      "touch: cannot touch '/workspace/x': Read-only file system",
      "touch: cannot touch '/x': Read-only file system",
      'tmp',
    ]);
  });

  it('removes a tree of another uid as root with two capabilities and no more', async () => {
    const tree = join(bottle().dir, 'workspace');
    const mounts = [{ source: tree, target: '/tree', readOnly: false }];
    const made = await bottle().runtime.runOnce(
      bottle().oneShot(
        'mkdir -p /tree/a/b && touch /tree/a/b/c && chmod 000 /tree/a/b && chmod 1555 /tree/a',
        { mounts },
      ),
    );
    assert.equal(made.exitCode, 0);
    const removed = await bottle().runtime.runOnce(
      bottle().oneShot('grep CapEff /proc/self/status; rm -rf /tree/a', { mounts, user: 'remover' }),
    );
    // CAP_DAC_OVERRIDE is bit 1, CAP_FOWNER bit 3.
    assert.match(Buffer.from(removed.stdout).toString(), /000000000000000a/);
    assert.equal(removed.exitCode, 0);
    await assert.rejects(access(join(tree, 'a')));
  });

  it('refuses the Docker socket, a relative path and a name that is none', async () => {
    const { runtime } = bottle();
    const mount = (source: string): { mounts: { source: string; target: string; readOnly: boolean }[] } => ({
      mounts: [{ source, target: '/x', readOnly: true }],
    });
    await assert.rejects(
      runtime.runOnce(bottle().oneShot('true', mount('/var/run/docker.sock'))),
      InvalidInputError,
    );
    await assert.rejects(runtime.runOnce(bottle().oneShot('true', mount('relative'))), InvalidInputError);
    await assert.rejects(runtime.runOnce(bottle().oneShot('true', { name: '../x' })), InvalidInputError);
    await assert.rejects(runtime.runOnce(bottle().oneShot('true', { slug: 'A/b' })), InvalidInputError);
    await assert.rejects(runtime.runOnce(bottle().oneShot('true', { argv: [] })), InvalidInputError);
  });

  it('takes a host path with a colon and a space as it is', async () => {
    const odd = join(bottle().dir, 'a: b:ro');
    await mkdir(odd);
    await chmod(odd, 0o755);
    const mounts = [{ source: odd, target: '/odd', readOnly: true }];
    const { exitCode } = await bottle().runtime.runOnce(bottle().oneShot('cd /odd', { mounts }));
    assert.equal(exitCode, 0);
  });
});

async function waitUntilRunning({ runtime, slug }: TestBottle): Promise<void> {
  for (const until = Date.now() + 15_000; Date.now() < until;) {
    if ((await runtime.list(slug)).some(({ running }) => running)) return;
  }
  assert.fail('it never ran');
}
