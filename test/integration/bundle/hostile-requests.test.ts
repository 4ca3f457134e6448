import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { HOSTILE_REQUESTS, SLOW_REQUESTS } from '../../corpus/rpc/index.js';
import type { RpcCase } from '../../corpus/rpc/rpc-case.js';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { playRequest } from '../../support/bundle/play-request.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { rpc } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';
import { WorkerSide } from '../../support/bundle/worker-side.js';
import { Heart, HEARTBEAT_LIMIT_MS } from '../../support/heart/heart.js';
import { PATIENCE } from '../../support/scale/patience.js';
import { closeServer, listenLocally, urlOf } from '../../support/http/loopback.js';

const ANSWER_MS = 10_000 * PATIENCE;
/** The sidecar gives a request 30 s to arrive. */
const SLOW_MS = 40_000 * PATIENCE;
/** Of its container. */
const MEMORY_KIB = 256 * 1024;
/** What Node takes for its heap in a container with that memory. */
const HEAP_OPTION = '--max-old-space-size=128';
const MANY = '100000';

const ALICE = { id: 1, login: 'alice', full_name: '', email: '' };
const ISSUE = {
  id: 1,
  number: 1,
  title: 'A bug',
  body: 'It is broken',
  state: 'open',
  labels: [],
  assignees: null,
  user: ALICE,
  html_url: 'http://x/1',
  ref: '',
  is_locked: false,
  pull_request: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  closed_at: null,
};

describe('hostile requests to a real sidecar', function () {
  this.timeout(60_000);
  let file: string;
  let forge: Server;
  let run: RunDirectory;
  let worker: WorkerSide;
  let bundle: BundleProcess;
  /** Another client of the socket: its calls go through to the forge and back. */
  let heart: Heart;
  let slow: ReadonlyMap<RpcCase, Promise<string>>;
  let posted: string[];

  before(async () => {
    file = builtBundle();
    posted = [];
    // Only one that is quick and never refuses leaves all the time to the sidecar.
    forge = createServer((request, response) => {
      if (request.method === 'POST') posted.push(request.url ?? '');
      request.resume();
      const isList = request.method === 'GET' && (request.url ?? '').includes('/comments');
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-total-count', '0');
      response.end(JSON.stringify(isList ? [] : request.url?.endsWith('/user') === true ? ALICE : ISSUE));
    });
    await listenLocally(forge);
    run = new RunDirectory();
    worker = await WorkerSide.beside(run);
    await worker.come(new SecretGuard(null, () => []));
    bundle = new BundleProcess(file, run, {
      FORGE_GITEA_API: urlOf(forge),
      NODE_OPTIONS: HEAP_OPTION,
      BUNDLE_CALLS_PER_MINUTE: MANY,
      BUNDLE_WRITES_PER_MINUTE: MANY,
    });
    await bundle.serving();
    heart = new Heart(async () => {
      const { result } = await rpc(run.socket, 'read_issue', { number: 1 });
      assert.ok(result !== undefined);
    });
    slow = new Map(
      SLOW_REQUESTS.map((one) => {
        const answer = playRequest(run.socket, one, SLOW_MS);
        answer.catch(() => undefined);
        return [one, answer];
      }),
    );
  });
  after(async () => {
    await heart.stop().catch(() => undefined);
    await bundle.kill('SIGKILL');
    await worker.remove();
    await closeServer(forge);
    run.remove();
  });

  const answered = (hostile: RpcCase, answer: string): void => {
    assert.ok(hostile.answer.test(answer), `not ${String(hostile.answer)}: ${answer.slice(0, 1_000)}`);
  };

  for (const hostile of HOSTILE_REQUESTS) {
    it(`${hostile.name}: an answer, and others are served`, async () => {
      const clients = Array.from({ length: hostile.clients ?? 1 });
      const answers = await heart.during(() =>
        Promise.all(clients.map(() => playRequest(run.socket, hostile, ANSWER_MS))),
      );
      for (const answer of answers) answered(hostile, answer);
    });
  }

  for (const hostile of SLOW_REQUESTS) {
    it(`${hostile.name}: dropped in the end, and others are served`, async () => {
      const answer = await heart.during(() => slow.get(hostile) ?? Promise.reject(new Error('not played')));
      answered(hostile, answer);
    });
  }

  it('after them all it serves, has kept to its memory, and the run can be ended', async () => {
    await heart.stop();
    assert.ok(heart.longestGapMs < HEARTBEAT_LIMIT_MS, `${String(heart.longestGapMs)} ms without an answer`);
    assert.doesNotMatch(bundle.stderr, /"a call failed"/);
    assert.ok(posted.length > 0 && posted.every((path) => path.endsWith('/issues/1/comments')));
    const memory = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(bundle.pid)}/status`, 'utf8'))?.[1];
    assert.ok(Number(memory) < MEMORY_KIB, `${String(memory)} KiB`);
    const said = await rpc(run.socket, 'signal_done', { status: 'success', summary: 'did it' });
    assert.deepEqual(said.result, { ok: true });
    const done = await until('the signal', async () => {
      const { slug, turn } = worker.turn;
      return (await worker.files.readTurn(slug, turn))?.done ?? undefined;
    });
    assert.equal(done.summary, 'did it');
    const { code } = await bundle.kill('SIGTERM');
    await worker.endTurn();
    assert.deepEqual([code, run.messages(), worker.warnings], [0, [], []]);
  });
});
