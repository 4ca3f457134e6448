import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { ImageBuildError, type ImageBuildSpec } from '../../../src/domain/bottle/bottle-image.js';
import { BottleRuntimeError } from '../../../src/domain/base/errors.js';
import { until } from '../../support/bundle/until.js';
import { AGENT_IMAGE } from './support/test-bottle.js';

const never = new AbortController().signal;

describe("docker: a bottle's own image", function () {
  this.timeout(120_000);
  const docker = new Docker();
  const runtime = dockerBottleRuntime({ docker });
  const slug = `img-alice-demo-1-${randomBytes(4).toString('hex')}`;
  const made: string[] = [];
  const names = new Set<string>();

  const spec = (script: string, more: Partial<ImageBuildSpec> = {}): ImageBuildSpec => ({
    slug,
    // The slug makes the Dockerfile this test's own.
    dockerfile: `ARG BASE=nobody/nothing:none\nFROM \${BASE}\nLABEL test=${slug}\n${script}\n`,
    base: AGENT_IMAGE,
    network: 'none',
    ...more,
  });
  const build = async (one: ImageBuildSpec, signal = never) => {
    const image = await runtime.buildImage(one, signal);
    names.add(image.name);
    return image;
  };
  const failure = async (one: ImageBuildSpec): Promise<ImageBuildError> => {
    const error: unknown = await build(one).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    assert.ok(error instanceof ImageBuildError, String(error));
    assert.equal(error.retryable, false);
    return error;
  };
  const steps = async (): Promise<string[]> => {
    const all = await docker.listContainers({ all: true, filters: { label: [`test=${slug}`] } });
    return all.map(({ Id }) => Id);
  };
  const running = async (): Promise<number> => (await steps()).length;

  after(async () => {
    await runtime.unpinImage(slug);
    for (const name of [...names, ...made]) await docker.getImage(name).remove({ force: true });
    const left = await docker.listImages({ all: true, filters: { label: [`test=${slug}`] } });
    for (const { Id } of left)
      await docker
        .getImage(Id)
        .remove({ force: true })
        .catch(() => undefined);
    assert.equal(await running(), 0);
    assert.deepEqual(await runtime.list(slug), []);
  });

  it('is built on the base once, and then found', async () => {
    const one = spec('USER root\nRUN echo made >/made\nUSER 1000:1000');
    const first = await build(one);
    assert.match(first.name, /^bot-bottle\/bottle:[0-9a-f]{12}$/);
    assert.match(first.log ?? '', /RUN echo made/);
    const again = await build(one);
    assert.deepEqual(again, { ...first, log: null });
    const output = await runtime.runOnce({
      ...{ name: 'probe', slug, image: first.id, argv: ['cat', '/made'], user: 'agent', mounts: [], env: {} },
      ...{ timeoutMs: 20_000, maxOutputBytes: 1024 },
    });
    assert.equal(Buffer.from(output.stdout).toString(), 'made\n');
  });

  it('is another one for another Dockerfile and for another network', async () => {
    const made = await Promise.all([
      build(spec('ENV A=1')),
      build(spec('ENV A=2')),
      build(spec('ENV A=1', { network: 'default' })),
    ]);
    assert.equal(new Set(made.map(({ name }) => name)).size, 3);
  });

  it('is built once for all who ask at the same time', async () => {
    const one = spec('RUN head -c 8 /dev/urandom | od -x >/tmp/random; cat /tmp/random');
    const images = await Promise.all([build(one), build(one), build({ ...one, slug: `${slug}b` })]);
    assert.equal(new Set(images.map(({ id }) => id)).size, 1);
    assert.deepEqual(images.map(({ log }) => log?.includes('urandom') ?? false).sort(), [false, false, true]);
  });

  it('has no network when it may have none', async () => {
    const { log } = await build(spec("RUN grep -c : /proc/net/dev; grep -vq 'lo:' /proc/net/dev"));
    assert.match(log ?? '', /^1$/m);
  });

  it('that fails says why, with the last lines, and keeps the log', async () => {
    const error = await failure(
      spec("RUN for i in $(seq 30); do echo line-$i; done; printf '\\033[2Jbad'; exit 3"),
    );
    assert.match(error.message, /cannot be built: .*returned a non-zero code: 3/);
    assert.match(error.message, /line-30\n\\u\{1b\}\[2Jbad/);
    assert.doesNotMatch(error.message, /line-1\n/);
    assert.match(error.log, /line-1\n/);
  });

  it('that prints without end is ended, and says what to do', async () => {
    const line = 'y'.repeat(1000);
    const error = await failure(spec(`RUN while :; do echo ${line}; done`));
    assert.match(error.message, /cannot be built: it printed more than 64 MiB.*: let its steps print less/);
    await until('its end', async () => ((await running()) === 0 ? true : undefined), 60_000);
    assert.equal(error.log.split('\n').at(-2), line);
  });

  it('that is no Dockerfile, or copies from a context that it has not, fails', async () => {
    assert.match((await failure(spec('BREW coffee'))).message, /unknown instruction: BREW/i);
    assert.match((await failure(spec('COPY secrets /secrets'))).message, /secrets/);
  });

  it('that throws away what makes it a bottle is refused, and has no name', async () => {
    const without = spec('USER root\nRUN rm /usr/local/bin/bottle-entrypoint\nUSER 1000:1000');
    assert.match((await failure(without)).message, /no \/usr\/local\/bin\/bottle-entrypoint/);
    // The second time the layers are there: it is still not taken for one.
    assert.match((await failure(without)).message, /no \/usr\/local\/bin\/bottle-entrypoint/);
    const foreign = spec('USER root\nRUN chown -R 0:0 /home/agent\nUSER 1000:1000');
    assert.match((await failure(foreign)).message, /does not belong to uid 1000/);
  });

  it('needs a base that is there', async () => {
    await assert.rejects(build(spec('', { base: 'bot-bottle/nothing:none' })), (error) => {
      assert.ok(error instanceof BottleRuntimeError && !error.retryable);
      assert.match(error.message, /no image bot-bottle\/nothing:none/);
      return true;
    });
  });

  it('is built for the next who waits when the first has left, for nobody when all have, and another time whole', async () => {
    const one = spec('RUN sleep 5; echo whole >/tmp/whole');
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [build(one, first.signal), build(one, second.signal)];
    const ends = Promise.allSettled(calls);
    const step = await until('a build', async () => (await steps())[0], 60_000);
    first.abort();
    await assert.rejects(calls[0] ?? Promise.resolve(), { name: 'AbortError' });
    await until('the other build', async () => (await steps()).find((one) => one !== step), 60_000);
    second.abort();
    await ends;
    await until('its end', async () => ((await running()) === 0 ? true : undefined), 60_000);
    assert.match((await build(one)).log ?? '', /sleep 5/);
  });

  it('is kept for its run when its name goes to another image, and gone when the run is', async () => {
    const { id, name } = await build(spec('ENV KEPT=1'));
    const other = await build(spec('ENV KEPT=2'));
    assert.equal(await runtime.pinImage(slug, name), id);
    assert.equal(await runtime.pinImage(slug, id), id);
    const [repo = '', tag = ''] = name.split(':');
    await docker.getImage(other.id).tag({ repo, tag });
    assert.equal(await runtime.imageId(id), id);
    await runtime.unpinImage(slug);
    await runtime.unpinImage(slug);
    assert.equal(await runtime.imageId(id), undefined);
    await assert.rejects(runtime.pinImage(slug, id), { name: 'BottleRuntimeError', retryable: false });
  });
});
