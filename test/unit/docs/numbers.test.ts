import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EXTRACTION_TIMEOUT_MS } from '../../../src/activities/publish/extract-work.js';
import { agentContainer } from '../../../src/adapters/docker/agent-container.js';
import { bundleContainer } from '../../../src/adapters/docker/bundle-container.js';
import { MAX_LINE_BYTES } from '../../../src/adapters/docker/logs/log-lines.js';
import { AGENT_LOG_BYTES, RUN_LOG_BYTES } from '../../../src/adapters/files/run/agent-log.js';
import { OPERATIONS_BYTES } from '../../../src/adapters/files/run/operation-file.js';
import { GIT_LIMITS } from '../../../src/adapters/git/git-limits.js';
import { MAX_NEW_OBJECTS } from '../../../src/adapters/git/check/new-objects.js';
import { MAX_ALL_COMMIT_BYTES, MAX_COMMIT_BYTES } from '../../../src/adapters/git/check/size-limits.js';
import { SCAN_TIMEOUT_MS } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { MAX_COMMENT_BYTES, MAX_COMMENTS } from '../../../src/bundle/forge/comment-allowance.js';
import { AT_FORGE } from '../../../src/bundle/start-bundle.js';
import * as egress from '../../../src/bundle/egress/limits.js';
import { DEFAULT_HTTP_LIMITS } from '../../../src/bundle/jsonrpc/http-unix.js';
import { QUEUE_DRAIN_LIMIT, QUEUE_MESSAGE_BYTES } from '../../../src/domain/run/queue.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import { MAX_SUBMODULE_LEVELS, MAX_SUBMODULES } from '../../../src/domain/workspace/submodules.js';
import { DEFAULT_LIMITS } from '../../../src/webhook/door/listen.js';
import { PUBLISH_LIMITS } from '../../../src/wiring/worker/host-settings.js';
import { ROOT } from './tree.js';

const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;

const agent = agentContainer(
  {
    slug: 'claude-alice-demo-1-abcde',
    image: 'i',
    workspaceDir: '/w',
    turnDir: '/t',
    configDir: '/c',
    limits: { memoryBytes: 64 * GIB, cpus: 4, pids: 64 },
    env: {},
  },
  8,
).HostConfig;
const sidecar = bundleContainer(
  {
    slug: 'claude-alice-demo-1-abcde',
    image: 'i',
    queueOutDir: '/o',
    queueInDir: '/i',
    tokenFile: null,
    secretsDir: '/s',
    configDir: '/c',
    caFile: null,
    loopbackDir: null,
    network: 'bridge',
    env: {},
  },
  8,
).HostConfig;
const hard = (name: string): number | undefined => agent?.Ulimits?.find((limit) => limit.Name === name)?.Hard;
const tmpBytes = Number(/size=(\d+)/.exec(agent?.Tmpfs?.['/tmp'] ?? '')?.[1]);

/** The words of a page, and the numbers that the code has where they have one, in their order. */
const SECURITY: readonly (readonly [words: string, found: readonly unknown[], said: readonly unknown[]])[] = [
  ['at most half its memory, at most 1 GiB', [tmpBytes], [GIB]],
  [
    'no core files, 16,384 open files, 8 GiB a file',
    [hard('core'), hard('nofile'), hard('fsize')],
    [0, 16_384, 8 * GIB],
  ],
  ['two files of 64 MB in the engine', [agent?.LogConfig?.Config], [{ 'max-size': '64m', 'max-file': '2' }]],
  [
    'on disk 64 KiB a line, 64 MiB a turn, 512 MiB a run',
    [MAX_LINE_BYTES, AGENT_LOG_BYTES, RUN_LOG_BYTES],
    [64 * KIB, 64 * MIB, 512 * MIB],
  ],
  [
    '256 MiB, one cpu and 64 processes',
    [sidecar?.Memory, sidecar?.NanoCpus, sidecar?.PidsLimit],
    [256 * MIB, 1e9, 64],
  ],
  ['two files of 8 MB in the engine', [sidecar?.LogConfig?.Config], [{ 'max-size': '8m', 'max-file': '2' }]],
  [
    'at most 1 MiB and 30 s to arrive, 32 connections at a time',
    [
      DEFAULT_HTTP_LIMITS.maxBodyBytes,
      DEFAULT_HTTP_LIMITS.requestTimeoutMs,
      DEFAULT_HTTP_LIMITS.maxConnections,
    ],
    [MIB, 30_000, 32],
  ],
  ['posts 100 comments at most, and 1 MiB of them', [MAX_COMMENTS, MAX_COMMENT_BYTES], [100, MIB]],
  ['Two calls at a time read on the forge', [AT_FORGE], [2]],
  ['Of its operation log 8 MiB a turn are kept', [OPERATIONS_BYTES], [8 * MIB]],
  ['of at most 256 KiB', [QUEUE_MESSAGE_BYTES], [256 * KIB]],
  ['More than 256 at once', [QUEUE_DRAIN_LIMIT], [256]],
  ['the workspace read-only, two minutes', [EXTRACTION_TIMEOUT_MS], [2 * MINUTE_MS]],
  [
    '1.5 GiB of address space, 60 s of CPU and two minutes',
    [GIT_LIMITS.memoryBytes, GIT_LIMITS.cpuSeconds, GIT_LIMITS.timeoutMs],
    [1.5 * GIB, 60, 2 * MINUTE_MS],
  ],
  [
    '100,000 new objects, 64 KiB in a commit object and 4 MiB in all of them',
    [MAX_NEW_OBJECTS, MAX_COMMIT_BYTES, MAX_ALL_COMMIT_BYTES],
    [100_000, 64 * KIB, 4 * MIB],
  ],
  [
    '1,000 new commits, 256 MiB of new objects, unpacked, 100 MiB in one file, and 5,000 changed files',
    [
      ...[PUBLISH_LIMITS.maxCommits, PUBLISH_LIMITS.maxBytes],
      ...[PUBLISH_LIMITS.maxFileBytes, PUBLISH_LIMITS.maxFiles],
    ],
    [1_000, 256 * MIB, 100 * MIB, 5_000],
  ],
  ['it has three minutes', [SCAN_TIMEOUT_MS], [3 * MINUTE_MS]],
  ['woken at most ten times an hour', [DEFAULT_POLICY.wakesPerHour], [10]],
  ['takes 512 connections', [DEFAULT_LIMITS.maxConnections], [512]],
];
const EGRESS: typeof SECURITY = [
  ['256 on each socket', [egress.DEFAULT_LIMITS.maxConnections], [256]],
  ['12,000 on each socket', [egress.DEFAULT_LIMITS.callsPerMinute], [12_000]],
  ["a request's head | 32 KiB", [egress.MAX_HEADER_BYTES], [32 * KIB]],
  ["a request's body through a route | 32 MiB", [egress.DEFAULT_LIMITS.maxBodyBytes], [32 * MIB]],
  [
    '5 s (forward proxy: for each address, four at most), 30 s (90 s from the answer before, if there is one), 10 min',
    [egress.CONNECT_MS, egress.MAX_TRIES, egress.IDLE_MS],
    [5_000, 4, 10 * MINUTE_MS],
  ],
  ['time for each TLS hello in a tunnel | 30 s', [egress.DEFAULT_LIMITS.helloMs], [30_000]],
];
const BOTTLES: typeof SECURITY = [
  ['At most 20 of them, in two levels', [MAX_SUBMODULES, MAX_SUBMODULE_LEVELS], [20, 2]],
];

/** That a limit holds is shown elsewhere, mostly with a smaller one. */
describe('a number that a page promises', () => {
  for (const [page, rows] of Object.entries({ security: SECURITY, egress: EGRESS, bottles: BOTTLES })) {
    const text = readFileSync(path.join(ROOT, `docs/${page}.md`), 'utf8').replace(/\s+/g, ' ');
    for (const [words, found, said] of rows)
      it(`is the product's: ${page}.md, "${words}"`, () => {
        assert.ok(text.includes(words), 'the page says it in other words');
        assert.deepEqual(found, said);
      });
  }
});
