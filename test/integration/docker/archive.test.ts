import assert from 'node:assert/strict';
import { BottleRuntimeError } from '../../../src/domain/base/errors.js';
import { runsAsUser } from '../../support/unprivileged/runs-as-user.js';
import { MIB, withBottles } from './support/test-bottle.js';

describe('docker: archive and restore', () => {
  if (!runsAsUser()) return;
  const bottle = withBottles();

  it('cuts a sparse file at the cap instead of taking gigabytes', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('mkdir ~/s && truncate -s 4G ~/s/sparse');
    await bottle().createBoth();
    assert.equal((await bottle().runTurn()).exitCode, 0);
    const started = Date.now();
    const archived = await runtime.archive(slug, 'agent', '/home/agent/s', 3 * MIB + 17);
    assert.equal(archived?.truncated, true);
    assert.equal(archived.tar.length, 3 * MIB + 17);
    assert.ok(Date.now() - started < 3000);
  });

  it('is undefined for a path that is not there, and an error for a container that is not', async () => {
    const { runtime, slug } = bottle();
    await bottle().createBoth();
    assert.equal(await runtime.archive(slug, 'agent', '/home/agent/nothing', MIB), undefined);
    await runtime.remove(slug, 'agent');
    await assert.rejects(runtime.archive(slug, 'agent', '/home/agent', MIB), BottleRuntimeError);
    await assert.rejects(
      runtime.restore(slug, 'agent', '/home/agent', new Uint8Array(1024)),
      BottleRuntimeError,
    );
  });

  it('refuses a running container, and the read-only root', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exec sleep 60');
    await bottle().createBoth();
    await assert.rejects(runtime.restore(slug, 'agent', '/opt', new Uint8Array(1024)), /read-only/);
    await runtime.start(slug, 'agent');
    await assert.rejects(runtime.archive(slug, 'agent', '/home/agent', MIB), /stop it first/);
    await assert.rejects(
      runtime.restore(slug, 'agent', '/home/agent', new Uint8Array(1024)),
      /stop it first/,
    );
  });

  it('does not follow a link of the agent out of the container', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('ln -s /../../../../etc/hostname ~/link; ln -s / ~/root');
    await bottle().createBoth();
    await bottle().runTurn();
    const link = await runtime.archive(slug, 'agent', '/home/agent/root/../../../../../../etc/hostname', MIB);
    assert.ok(link === undefined || Buffer.from(link.tar).includes('bottle'));
  });
});
