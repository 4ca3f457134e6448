import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import type { Method } from '../../../src/bundle/plane/method.js';
import { AtMost } from '../../../src/bundle/base/at-most.js';
import { Plane } from '../../../src/bundle/plane/plane.js';
import { RateLimiter, type RateLimits } from '../../../src/bundle/plane/rate-limit.js';
import { ScopedForge } from '../../../src/bundle/forge/scoped-forge.js';
import type { Readers } from '../../../src/bundle/plane/text-gate.js';
import type { NewOperation } from '../../../src/bundle/base/operation-log.js';
import type { ProposalOutcome, PublishAnswer } from '../../../src/domain/run/queue.js';
import { RecordingForge } from './recording-forge.js';

export const ISSUE = 12;
export const OWN_PR = 20;

export interface PlaneFixture {
  readonly plane: Plane;
  readonly forge: RecordingForge;
  readonly scoped: ScopedForge;
  readonly log: NewOperation[];
  readonly limited: { count: number };
  readonly limiter: RateLimiter;
  readonly done: [string, string][];
  readonly requests: [string, string][];
  /** What was to be looked through for secrets: what it is, and the text. */
  readonly texts: [string, string][];
  /** What comes of it. */
  readonly checks: { check: () => Promise<void> };
  /** What open_pr is answered. */
  publish: () => Promise<PublishAnswer>;
  /** What was proposed: the tool, and its parameters. */
  readonly proposed: [string, unknown][];
  /** What comes of it. */
  decide: () => Promise<ProposalOutcome>;
}

/** What the plane takes out of what comes in. */
export const SECRET = 'topsecret';

/** The real plane over a recording forge, scope: issue 12 and PR 20. */
export function planeFixture(
  limits: RateLimits = { callsPerMinute: 1000, writesPerMinute: 1000 },
  readers: Readers = null,
  methods: readonly Method[] = FORGE_METHODS,
): PlaneFixture {
  const forge = new RecordingForge();
  const atForge = new AtMost(2);
  const scoped: ScopedForge = new ScopedForge(
    () => Promise.resolve(forge),
    { issue: ISSUE, pr: OWN_PR },
    (where, text) => {
      texts.push([where, text]);
      return checks.check();
    },
    atForge,
  );
  const log: NewOperation[] = [];
  const limited = { count: 0 };
  const done: [string, string][] = [];
  const requests: [string, string][] = [];
  const texts: [string, string][] = [];
  const proposed: [string, unknown][] = [];
  const limiter = new RateLimiter(limits, () => 0);
  const checks = { check: (): Promise<void> => Promise.resolve() };
  const fixture = {
    forge,
    scoped,
    log,
    limited,
    limiter,
    done,
    requests,
    texts,
    checks,
    proposed,
    decide: (): Promise<ProposalOutcome> =>
      Promise.resolve({ kind: 'decision', id: 'p1', status: 'modified', notes: 'only 443' }),
    publish: (): Promise<PublishAnswer> =>
      Promise.resolve({ kind: 'published', pr: 21, url: 'http://forge/21', head: 'c'.repeat(40) }),
  };
  const plane = new Plane({
    methods,
    context: {
      forge: scoped,
      publisher: {
        openPr: (title, body) => {
          requests.push([title, body]);
          return fixture.publish();
        },
      },
      proposals: {
        propose: (...what) => {
          proposed.push(what);
          return fixture.decide();
        },
      },
      doneSignal: {
        signal: (status, summary) => {
          done.push([status, summary]);
          return Promise.resolve();
        },
      },
      forgePages: 'https://forge.test',
      commentMarker: (number) => `marker-${String(number)}`,
    },
    readers,
    redact: (text) => text.replaceAll(SECRET, '[secret]'),
    reads: atForge,
    limiter,
    log: {
      // How long a call took is another number each time.
      add: ({ ms: _took, ...line }) => log.push(line),
      countLimited: () => (limited.count += 1),
    },
  });
  return Object.assign(fixture, { plane });
}
