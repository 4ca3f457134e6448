import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { BottleRuntimeError, InvalidInputError } from '../../../src/domain/base/errors.js';
import { requireRuntime } from '../../../src/activities/turn/begin/require-runtime.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { until } from '../../support/bundle/until.js';
import { AGENT_IMAGE, withBottles } from './support/test-bottle.js';

describe('docker: life of a bottle', () => {
  const bottle = withBottles();
  const waitForFile = (name: string): Promise<boolean> =>
    until(name, () => existsSync(join(bottle().dir, 'workspace', name)) || undefined, 15_000);

  it('goes from created through running to exited with the code, and again with a new start time', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exit 7');
    await bottle().createBoth();
    const created = await runtime.inspect(slug, 'agent');
    assert.equal(created?.status, 'created');
    assert.equal(created.startedAt, '0001-01-01T00:00:00Z');
    const first = await runtime.start(slug, 'agent');
    assert.equal(await runtime.waitForExit(slug, 'agent', AbortSignal.timeout(20_000)), 7);
    const exited = await runtime.inspect(slug, 'agent');
    assert.equal(exited?.status, 'exited');
    assert.equal(exited.exitCode, 7);
    const second = await runtime.start(slug, 'agent');
    assert.ok(second.startedAt > first.startedAt);
    assert.equal(second.imageId, await runtime.imageId('bot-bottle/agent-scripted:dev'));
    assert.equal(await runtime.waitForExit(slug, 'agent', AbortSignal.timeout(20_000)), 7);
  });

  it('runs the agent with the container runtime that is named, if the engine has it', async () => {
    const { runtime, slug, docker } = bottle();
    await bottle().shell('exit 3');
    await runtime.createBundle(bottle().bundleSpec());
    await runtime.createAgent(bottle().agentSpec({ runtime: 'runc' }));
    assert.equal((await bottle().runTurn()).exitCode, 3);
    const { HostConfig } = await docker.getContainer(`bb-${slug}-agent`).inspect();
    assert.equal(HostConfig.Runtime, 'runc');

    for (const known of [null, 'runc', 'io.containerd.runc.v2']) await requireRuntime(runtime, known);
    await assert.rejects(requireRuntime(runtime, 'nosuch'), (error) => {
      assert.ok(error instanceof InvalidInputError);
      assert.match(error.message, /no container runtime "nosuch".*daemon\.json/);
      return true;
    });
  });

  it('stops with SIGTERM and, after the grace, with SIGKILL', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('trap "exit 5" TERM; touch /workspace/ready; while :; do sleep 0.05; done');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    await waitForFile('ready');
    await runtime.stop(slug, 'agent', 10);
    assert.equal((await runtime.inspect(slug, 'agent'))?.exitCode, 5);
    await bottle().shell('trap "" TERM; touch /workspace/ready2; while :; do sleep 0.05; done');
    await runtime.start(slug, 'agent');
    await waitForFile('ready2');
    await runtime.stop(slug, 'agent', 1);
    assert.equal((await runtime.inspect(slug, 'agent'))?.exitCode, 137);
  });

  it('does nothing when everything is repeated', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exec sleep 60');
    await bottle().createBoth();
    const started = await runtime.start(slug, 'agent');
    assert.deepEqual(await runtime.start(slug, 'agent'), started);
    await runtime.stop(slug, 'agent', 0);
    await runtime.stop(slug, 'agent', 0);
    for (let time = 0; time < 2; time++) {
      await runtime.remove(slug, 'agent');
      await runtime.remove(slug, 'bundle');
      await runtime.stop(slug, 'agent', 0);
      await runtime.removeVolumes(slug);
    }
    assert.equal(await runtime.inspect(slug, 'agent'), undefined);
  });

  it('removes a running container, also when two remove it at once', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exec sleep 60');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    await Promise.all([
      runtime.remove(slug, 'agent'),
      runtime.remove(slug, 'agent'),
      runtime.remove(slug, 'agent'),
    ]);
    assert.equal(await runtime.inspect(slug, 'agent'), undefined);
  });

  it('adopts the container that exists, also when two create it at once and while it runs', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exec sleep 60');
    await runtime.createBundle(bottle().bundleSpec());
    const made = await Promise.all([1, 2, 3].map(() => runtime.createAgent(bottle().agentSpec())));
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    const running = await runtime.start(slug, 'agent');
    assert.deepEqual(await runtime.createAgent(bottle().agentSpec()), running);
    assert.deepEqual(await runtime.createAgent(bottle().agentSpec({ env: { NEW: '1' } })), running);
  });

  it('replaces a container that never ran when the specification is another one', async () => {
    const { runtime } = bottle();
    await bottle().createBoth();
    const first = await runtime.createAgent(bottle().agentSpec());
    const second = await runtime.createAgent(bottle().agentSpec({ env: { NEW: '1' } }));
    assert.notEqual(second.id, first.id);
  });

  it('replaces a stopped container whose directories are elsewhere, as after a move of the home', async () => {
    const { runtime, slug, dir } = bottle();
    await bottle().createBoth();
    await bottle().runTurn();
    const first = await runtime.createAgent(bottle().agentSpec());
    assert.equal(first.status, 'exited');
    const moved = join(dir, 'moved', slug, 'config');
    await mkdir(moved, { recursive: true });
    const second = await runtime.createAgent(bottle().agentSpec({ configDir: moved }));
    assert.notEqual(second.id, first.id);
    assert.equal(second.status, 'created');
    assert.equal((await runtime.createAgent(bottle().agentSpec({ configDir: moved }))).id, second.id);
  });

  it('never touches a container or volume that has the name but not the labels', async () => {
    const { runtime, slug, docker } = bottle();
    await runtime.createBundle(bottle().bundleSpec());
    const foreign = await docker.createContainer({
      name: `bb-${slug}-agent`,
      Image: 'bot-bottle/base:bookworm',
      Cmd: ['true'],
    });
    try {
      const notOurs = (error: unknown): boolean =>
        error instanceof BottleRuntimeError && !error.retryable && error.message.includes('not ours');
      await assert.rejects(runtime.createAgent(bottle().agentSpec()), notOurs);
      await assert.rejects(runtime.start(slug, 'agent'), notOurs);
      await assert.rejects(runtime.stop(slug, 'agent', 0), notOurs);
      await assert.rejects(runtime.remove(slug, 'agent'), notOurs);
      assert.equal((await foreign.inspect()).State.Status, 'created');
    } finally {
      await foreign.remove({ force: true });
    }
    await runtime.remove(slug, 'bundle');
    await runtime.removeVolumes(slug);
    await docker.createVolume({ Name: `bb-${slug}-home` });
    try {
      await assert.rejects(runtime.createBundle(bottle().bundleSpec()), /not ours/);
      await assert.rejects(runtime.removeVolumes(slug), /not ours/);
    } finally {
      await docker.getVolume(`bb-${slug}-home`).remove();
    }
  });

  it('labels every object, and lists those of one run and of all', async () => {
    const { runtime, slug } = bottle();
    await bottle().createBoth();
    const listed = await runtime.list(slug);
    assert.deepEqual(
      listed.map(({ type, name, role, running }) => ({ type, name, role, running })),
      [
        { type: 'container', name: `bb-${slug}-agent`, role: 'agent', running: false },
        { type: 'container', name: `bb-${slug}-bundle`, role: 'bundle', running: false },
        { type: 'volume', name: `bb-${slug}-home`, role: 'home', running: false },
        { type: 'volume', name: `bb-${slug}-sock`, role: 'sock', running: false },
      ],
    );
    for (const { createdAt } of listed) assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000);
    const all = await runtime.list();
    assert.equal(all.filter((object) => object.slug === slug).length, 4);
  });

  it('lists only what its own host made, where several share an engine', async () => {
    const { docker, slug } = bottle();
    const [own, other] = ['a', 'b'].map((host) => dockerBottleRuntime({ docker, host: `${slug}-${host}` }));
    assert.ok(own !== undefined && other !== undefined);
    await own.createBundle(bottle().bundleSpec());
    await own.createAgent(bottle().agentSpec());
    assert.equal((await own.list()).length, 4);
    assert.deepEqual(await other.list(), []);
    assert.deepEqual(await other.list(slug), []);
  });

  it('keeps an image for a run of its own host, whoever else has a run of that name', async () => {
    const { docker, slug } = bottle();
    const [own, other] = ['a', 'b'].map((host) => dockerBottleRuntime({ docker, host: `${slug}-${host}` }));
    assert.ok(own !== undefined && other !== undefined);
    try {
      await own.pinImage(slug, AGENT_IMAGE);
      await other.pinImage(slug, AGENT_IMAGE);
      await own.unpinImage(slug);
      assert.deepEqual([await own.pinnedRuns(), await other.pinnedRuns()], [[], [slug]]);
      assert.ok((await dockerBottleRuntime({ docker }).pinnedRuns()).includes(slug));
    } finally {
      for (const runtime of [own, other]) await runtime.unpinImage(slug);
    }
    assert.deepEqual(await other.pinnedRuns(), []);
  });

  it('rejects a wait with an AbortError when it is aborted, and leaves the container alone', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('exec sleep 60');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const abort = new AbortController();
    const waiting = runtime.waitForExit(slug, 'agent', abort.signal);
    await runtime.inspect(slug, 'agent');
    abort.abort(new Error('shutdown'));
    await assert.rejects(
      waiting,
      (error: Error) => error.name === 'AbortError' && error.cause === abort.signal.reason,
    );
    await assert.rejects(runtime.waitForExit(slug, 'agent', abort.signal), { name: 'AbortError' });
    assert.equal((await runtime.inspect(slug, 'agent'))?.status, 'running');
  });

  it('resolves a wait that was open when the container exits', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('until [[ -e /workspace/go ]]; do sleep 0.02; done; exit 3');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const waiting = runtime.waitForExit(slug, 'agent', AbortSignal.timeout(20_000));
    await writeFile(join(bottle().dir, 'workspace/go'), '');
    assert.equal(await waiting, 3);
  });

  it('keeps the home volume when the container is removed, and refuses to remove it while it is used', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('echo kept > ~/note');
    await bottle().createBoth();
    assert.equal((await bottle().runTurn()).exitCode, 0);
    await assert.rejects(
      runtime.removeVolumes(slug),
      (error) => error instanceof BottleRuntimeError && error.retryable,
    );
    await runtime.remove(slug, 'agent');
    await bottle().shell('cat ~/note');
    await runtime.createAgent(bottle().agentSpec());
    const { lines } = await bottle().runTurn();
    assert.ok(lines.some(({ text }) => text === 'kept'));
  });

  it('says what to do when the image is missing, the bundle was not created, or a directory is not there', async () => {
    const { runtime } = bottle();
    await assert.rejects(runtime.createAgent(bottle().agentSpec()), /create its bundle first/);
    await bottle().createBoth();
    await runtime.remove(bottle().slug, 'agent');
    const missing = runtime.createAgent(bottle().agentSpec({ image: 'bot-bottle/agent-nobody:dev' }));
    await assert.rejects(missing, (error) => {
      return (
        error instanceof BottleRuntimeError &&
        !error.retryable &&
        error.message.includes('run script/images agent-nobody')
      );
    });
    const lost = runtime.createAgent(bottle().agentSpec({ turnDir: join(bottle().dir, 'nowhere') }));
    await assert.rejects(
      lost,
      (error) => error instanceof BottleRuntimeError && !error.retryable && error.message.includes('nowhere'),
    );
    assert.equal(await runtime.imageId('bot-bottle/no-such:image'), undefined);
  });

  it("refuses the host's network for the bundle under its name, its id and through another container", async () => {
    const { runtime, docker, slug } = bottle();
    const { Id: hostNetworkId } = (await docker.getNetwork('host').inspect()) as { Id: string };
    for (const network of [
      'host',
      hostNetworkId,
      hostNetworkId.slice(0, 12),
      'container:x',
      'container:bb-x-agent',
      '',
      'ns:/proc/1/ns/net',
    ]) {
      await assert.rejects(
        runtime.createBundle(bottle().bundleSpec({ network })),
        InvalidInputError,
        network,
      );
    }
    assert.deepEqual(await runtime.list(slug), []);
  });

  it('reports the engine it talks to, and an engine that is not there as retryable', async () => {
    const info = await bottle().runtime.facts();
    assert.match(info.version, /^\d+\./);
    assert.match(info.apiVersion, /^1\.\d+$/);
    const nobody = dockerBottleRuntime({
      docker: new Docker({ socketPath: join(bottle().dir, 'no.sock') }),
    });
    await assert.rejects(nobody.facts(), (error) => {
      return (
        error instanceof BottleRuntimeError &&
        error.retryable &&
        error.message.includes('no Docker engine answers')
      );
    });
  });
});
