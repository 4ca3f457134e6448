import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import {
  dockerBottleRuntime,
  type DockerBottleRuntime,
} from '../../../../src/adapters/docker/docker-runtime.js';
import { toRuntimeError } from '../../../../src/adapters/docker/errors.js';
import { labelsOf } from '../../../../src/adapters/docker/names-and-labels.js';
import { positionAt } from '../../../../src/domain/bottle/bottle-runtime.js';

const SLUG = 'claude-alice-demo-1-abcde';
const INSPECTED = JSON.stringify({
  Id: 'f00d',
  Name: `/bb-${SLUG}-agent`,
  Image: 'sha256:1',
  State: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false, StartedAt: '', FinishedAt: '' },
  Config: { Labels: labelsOf(SLUG, 'agent') },
});

/** Faults a real engine can't be told to make: a socket that answers like a broken one. */
async function withEngine(
  answer: RequestListener,
  work: (runtime: DockerBottleRuntime) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'bb-engine-'));
  const socketPath = join(dir, 'e.sock');
  const server = createServer((request, response) => {
    if (request.url?.includes('/json') === true) response.end(INSPECTED);
    else answer(request, response);
  });
  server.listen(socketPath);
  await once(server, 'listening');
  try {
    await work(dockerBottleRuntime({ docker: new Docker({ socketPath }) }));
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true });
  }
}

const retryable = (error: unknown): boolean => error instanceof BottleRuntimeError && error.retryable;

describe('a faulty engine', () => {
  it('says what DOCKER_HOST takes where it names a host that is none', async () => {
    const runtime = dockerBottleRuntime({ docker: new Docker({ host: 'nowhere.invalid', port: 22 }) });
    await assert.rejects(runtime.facts(), /DOCKER_HOST is .*ENOTFOUND.*: set it to .*; ssh is not spoken$/);
  });

  it('that goes away while a container is waited for is a retryable error, not an endless wait', async () => {
    await withEngine(
      (_, response) => {
        response.writeHead(200);
        response.flushHeaders();
        setImmediate(() => response.socket?.destroy());
      },
      async (runtime) => {
        await assert.rejects(runtime.waitForExit(SLUG, 'agent', new AbortController().signal), retryable);
      },
    );
  });

  it('that goes away while a log is followed is a retryable error', async () => {
    await withEngine(
      (request, response) => {
        response.writeHead(200);
        response.flushHeaders();
        if (request.url?.includes('/logs') === true) setImmediate(() => response.socket?.destroy());
      },
      async (runtime) => {
        const following = runtime.followLogs(
          SLUG,
          'agent',
          positionAt(null),
          new AbortController().signal,
          () => assert.fail(),
        );
        await assert.rejects(following, retryable);
      },
    );
  });

  it('that ends a log while the container still runs is asked again from the last line of each stream', async () => {
    const lines = [
      [1, '2026-01-02T03:04:05.000000001Z one\n'],
      [2, '2026-01-02T03:04:06.000000001Z two\n'],
      // Stamped before the one in front of it, by another thread.
      [1, '2026-01-02T03:04:05.500000000Z late\n'],
    ] as const;
    const asked: (string | null)[] = [];
    const waiting: ServerResponse[] = [];
    const stopWhenAskedTwice = (): void => {
      if (asked.length >= 3) for (const response of waiting.splice(0)) response.end('{"StatusCode":0}');
    };
    await withEngine(
      (request, response) => {
        const url = new URL(request.url ?? '', 'http://engine');
        if (url.pathname.endsWith('/wait')) {
          response.writeHead(200).flushHeaders();
          waiting.push(response);
          stopWhenAskedTwice();
          return;
        }
        asked.push(url.searchParams.get('since'));
        for (const [stream, line] of lines.slice(0, asked.length)) {
          response.write(Buffer.from([stream, 0, 0, 0, 0, 0, 0, line.length]));
          response.write(line);
        }
        response.end();
        stopWhenAskedTwice();
      },
      async (runtime) => {
        const seen: string[] = [];
        await runtime.followLogs(SLUG, 'agent', positionAt(null), AbortSignal.timeout(20_000), ({ text }) =>
          seen.push(text),
        );
        assert.deepEqual(seen, ['one', 'two', 'late']);
        assert.deepEqual(asked.slice(0, 3), [null, '1767323035.000000001', '1767323036.000000001']);
        assert.equal(asked.length, 4);
      },
    );
  });

  it('that never answers does not keep an aborted wait or log waiting', async () => {
    await withEngine(
      () => undefined,
      async (runtime) => {
        const abort = new AbortController();
        const waiting = runtime.waitForExit(SLUG, 'agent', abort.signal);
        const following = runtime.followLogs(SLUG, 'agent', positionAt(null), abort.signal, () =>
          assert.fail(),
        );
        setImmediate(() => {
          abort.abort();
        });
        await assert.rejects(waiting, { name: 'AbortError' });
        await following;
      },
    );
  });

  it('that answers 500 is retryable, and 400 is not', async () => {
    for (const [status, again] of [
      [500, true],
      [503, true],
      [400, false],
      [409, false],
    ] as const) {
      await withEngine(
        (_, response) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"because"}');
        },
        async (runtime) => {
          await assert.rejects(runtime.stop(SLUG, 'agent', 0), (error) => {
            return (
              error instanceof BottleRuntimeError &&
              error.retryable === again &&
              error.message.includes('because')
            );
          });
        },
      );
    }
  });

  it('whose socket is closed to the user says which group is missing', () => {
    const error = toRuntimeError(
      Object.assign(new Error('connect EACCES /var/run/docker.sock'), { code: 'EACCES' }),
      'x',
    );
    assert.match(error.message, /docker group/);
    assert.equal(error.retryable, false);
  });

  for (const code of [
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNABORTED',
  ])
    it(`that the network cannot reach (${code}) is away, and asked again`, () => {
      const error = toRuntimeError(Object.assign(new Error(`connect ${code} engine`), { code }), 'x');
      assert.ok(error instanceof BottleRuntimeError);
      assert.deepEqual([error.retryable, error.away], [true, true]);
    });

  it('whose answer breaks off is asked again, and a call that was aborted is not', () => {
    const retries = (code: string, message: string): boolean =>
      retryable(toRuntimeError(Object.assign(new Error(message), { code }), 'x'));
    assert.equal(retries('ERR_STREAM_PREMATURE_CLOSE', 'Premature close'), true);
    assert.equal(retries('ABORT_ERR', 'The operation was aborted'), false);
    assert.equal(retries('ERR_INVALID_ARG_TYPE', 'must be a string'), false);
  });
});
