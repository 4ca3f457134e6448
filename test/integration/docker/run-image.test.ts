import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { runImage } from '../../../src/activities/turn/begin/run-image.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import type { BottleSetup } from '../../../src/domain/bottle/bottle-setup.js';
import { withTempDir } from '../../support/files/temp-home.js';
import { AGENT_IMAGE } from './support/test-bottle.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const never = new AbortController().signal;

describe("a run's image", function () {
  this.timeout(120_000);
  const docker = new Docker();
  const runtime = dockerBottleRuntime({ docker });
  const mark = randomBytes(4).toString('hex');
  const slug = `rim-alice-demo-1-${mark}`;
  const named = `bot-bottle/test-run-image:${mark}`;
  const setup = (dockerfile: string | null): BottleSetup => ({
    ...{ dockerfile, allow: [], routes: [], registries: [], setup: null, runtime: null },
    workspace: { depth: null, sparse: [], submodules: false, submoduleRepos: [], lfs: false },
  });
  const labelled = (value: string): string => `ARG BASE\nFROM $BASE\nLABEL test=${mark} value=${value}\n`;
  const choose = (home: string, turn: number, image: string, dockerfile: string | null): Promise<string> => {
    const files = runFilesIn(home);
    const log = { info: () => undefined, warn: () => undefined };
    // What the function reads of them.
    const ports = { runtime, files, log } as unknown as HostPorts;
    const input = { slug, turn, prepared: { image } } as unknown as RunTurnInput;
    return files.prepare(slug).then(() => runImage(ports, input, setup(dockerfile), never));
  };
  const readRun = (home: string, file: string): Promise<string> =>
    readFile(join(home, 'state', slug, file), 'utf8');

  afterEach(async () => {
    await runtime.unpinImage(slug);
    const made = await docker.listImages({ filters: { label: [`test=${mark}`] } });
    for (const { Id } of made) await docker.getImage(Id).remove({ force: true });
    assert.deepEqual(
      await docker.listImages({ filters: { reference: [named, `bot-bottle/run:${slug}`] } }),
      [],
    );
  });

  it('is the one its first turn began with, whatever its name or the manifest says later', () =>
    withTempDir(async (home) => {
      const old = await runtime.buildImage(
        { slug, dockerfile: labelled('1'), base: AGENT_IMAGE, network: 'none' },
        never,
      );
      const [repo = '', tag = ''] = named.split(':');
      await docker.getImage(old.id).tag({ repo, tag });
      assert.equal(await choose(home, 1, named, null), old.id);
      const other = await runtime.buildImage(
        { slug, dockerfile: labelled('2'), base: AGENT_IMAGE, network: 'none' },
        never,
      );
      await docker.getImage(other.id).tag({ repo, tag });
      await docker.getImage(old.name).remove();
      assert.equal(await choose(home, 2, named, null), old.id);
      assert.equal(await choose(home, 3, AGENT_IMAGE, labelled('3')), old.id);
      assert.deepEqual(JSON.parse(await readRun(home, 'image.json')), {
        id: old.id,
        name: named,
        dockerfile: null,
        changes: [],
      });
    }));

  it('that somebody took from the engine is a final error', () =>
    withTempDir(async (home) => {
      const id = await choose(home, 1, AGENT_IMAGE, labelled('taken'));
      await docker.getImage(id).remove({ force: true });
      await assert.rejects(choose(home, 2, AGENT_IMAGE, null), (error) => {
        assert.ok(error instanceof Error && 'retryable' in error && error.retryable === false);
        assert.ok(error.message.includes(id));
        return true;
      });
    }));
});
