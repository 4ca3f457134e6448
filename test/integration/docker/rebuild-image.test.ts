import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { ChangesInput, RebuiltImage, RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { keepChanges } from '../../../src/activities/setup/kept-changes.js';
import { shownImage } from '../../../src/activities/setup/run-image-file.js';
import { rebuildImage } from '../../../src/activities/supervise/rebuild-image.js';
import { runImage } from '../../../src/activities/turn/begin/run-image.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { WHOLE_REPOSITORY, type BottleSetup } from '../../../src/domain/bottle/bottle-setup.js';
import { readChange } from '../../../src/domain/supervise/config-change.js';
import { imageFile } from '../../../src/domain/supervise/image-change.js';
import { withNetwork } from '../../../src/domain/supervise/shown-proposal.js';
import { withTempDir } from '../../support/files/temp-home.js';
import { bridgeAddress } from '../../support/model-api/bridge-address.js';
import { shownProposal } from '../../support/supervise/shown.js';
import { AGENT_IMAGE } from './support/test-bottle.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const never = new AbortController().signal;

describe('the image of a proposal that was approved', function () {
  this.timeout(120_000);
  const docker = new Docker();
  const runtime = dockerBottleRuntime({ docker });
  const mark = randomBytes(4).toString('hex');
  const slug = `reb-alice-demo-1-${mark}`;
  const setup: BottleSetup = {
    ...{ dockerfile: null, allow: [], routes: [], registries: [], setup: null, runtime: null },
    workspace: WHOLE_REPOSITORY,
  };

  class Run {
    readonly files: LocalRunFiles;
    readonly blobs: LocalBlobStore;
    private readonly ports: HostPorts;

    constructor(private readonly home: string) {
      this.files = runFilesIn(home);
      this.blobs = new LocalBlobStore(join(home, 'blobs'));
      const log = { info: () => undefined, warn: () => undefined };
      // What the functions read of them.
      this.ports = { runtime, files: this.files, blobs: this.blobs, log } as unknown as HostPorts;
    }

    /** As a turn begins; answers the id of its image. */
    async begin(changes: readonly string[] = []): Promise<string> {
      await this.files.prepare(slug);
      await keepChanges(this.files, slug, changes);
      const input = { slug, turn: 1, prepared: { image: AGENT_IMAGE } } as unknown as RunTurnInput;
      return runImage(this.ports, input, setup, never);
    }

    /** Blob of a proposal with these steps below the image that there is. */
    async propose(steps: string, network = false): Promise<string> {
      const image = await shownImage(this.ports, slug, setup);
      assert.ok(image !== null);
      const currentFile = imageFile(image);
      const proposed = `${currentFile}ENV TEST_MARK=${mark}\n${steps}\n`;
      const read = readChange('capability-block', currentFile, proposed);
      assert.ok(read.kind === 'change', JSON.stringify(read));
      const shown = { ...shownProposal(), currentFile, change: read.change };
      return this.blobs.put(JSON.stringify(network ? withNetwork(shown) : shown));
    }

    rebuild(...changes: readonly string[]): Promise<RebuiltImage> {
      return rebuildImage(this.ports, { slug, changes } as unknown as ChangesInput, never);
    }

    async reasonOf(changes: readonly string[]): Promise<string> {
      const built = await this.rebuild(...changes);
      assert.equal(built.kind, 'failed');
      return this.blobs.getText(built.reasonRef);
    }

    read(file: string): Promise<string> {
      return readFile(join(this.home, 'state', slug, file), 'utf8');
    }
  }

  const inRun = (work: (run: Run) => Promise<void>): Promise<void> =>
    withTempDir((home) => work(new Run(home)));

  async function printed(image: string, ...argv: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await runtime.runOnce({
      ...{ name: `print-${randomBytes(4).toString('hex')}`, slug, image, argv, user: 'agent' as const },
      ...{ mounts: [], env: {}, timeoutMs: 30_000, maxOutputBytes: 10_000 },
    });
    assert.equal(exitCode, 0, stderr);
    return new TextDecoder().decode(stdout).trim();
  }

  afterEach(async () => {
    await runtime.unpinImage(slug);
    const images = await docker.listImages();
    for (const { Id } of images) {
      const { Config } = await docker.getImage(Id).inspect();
      if ((Config.Env as readonly string[] | null)?.includes(`TEST_MARK=${mark}`))
        await docker
          .getImage(Id)
          .remove({ force: true })
          .catch(() => undefined);
    }
  });

  it('has its steps, run as root, and is the one of the next turn, and of those after it', () =>
    inRun(async (run) => {
      const before = await run.begin();
      const first = await run.propose(
        "USER root\nRUN printf '#!/bin/sh\\nid -u\\n' > /usr/local/bin/walrus\nRUN chmod 755 /usr/local/bin/walrus",
      );
      assert.deepEqual(await run.rebuild(first), { kind: 'built' });
      // Nothing has changed for whoever runs now.
      assert.equal(await run.begin(), before);
      const after = await run.begin([first]);
      assert.notEqual(after, before);
      assert.equal(await printed(after, 'walrus'), '1000');
      const image = await shownImage(run, slug, setup);
      assert.equal(image?.id, after);
      assert.equal(image.steps.at(-1), 'RUN chmod 755 /usr/local/bin/walrus');

      const second = await run.propose('USER root\nRUN echo more > /etc/more');
      assert.deepEqual(await run.rebuild(first, second), { kind: 'built' });
      const last = await run.begin([first, second]);
      assert.equal(await printed(last, 'sh', '-c', 'walrus; cat /etc/more'), '1000\nmore');
      assert.equal(await run.begin([first, second]), last);
      assert.match(await run.read(`image-build-${second.slice(0, 12)}.log`), /\/etc\/more/);
    }));

  it('is built without network, but where the operator said otherwise', () =>
    inRun(async (run) => {
      await run.begin();
      const server = createServer((_, response) => response.end('here'));
      await new Promise<void>((done) => void server.listen(0, '0.0.0.0', done));
      try {
        const { port } = server.address() as AddressInfo;
        const ask = `RUN bash -c 'exec 3<>/dev/tcp/${await bridgeAddress()}/${String(port)} && echo reached'`;
        const alone = await run.propose(ask);
        assert.match(await run.reasonOf([alone]), /unreachable/i);
        assert.deepEqual(await run.rebuild(await run.propose(ask, true)), { kind: 'built' });
      } finally {
        server.close();
      }
    }));
});
