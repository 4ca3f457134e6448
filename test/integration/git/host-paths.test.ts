import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { composePrompt } from '../../../src/domain/prompt/prompt.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { fakeGitleaks } from '../../support/gitleaks/fake-gitleaks.js';
import { GitFixture } from './git-fixture.js';

const SLUG = 'dev-alice-demo-12-abcde';

/** Real faults of the real git, on their way to the agent: the answer of `open_pr`, and the prompt of the nudge. */
describe('paths of the host in what an agent is told', function () {
  this.timeout(60_000);
  let fixture: GitFixture;
  beforeEach(() => {
    fixture = new GitFixture();
  });
  afterEach(() => {
    fixture.remove();
  });

  /** What becomes of the reason behind the gate. */
  async function told(reason: string): Promise<string> {
    const home = join(fixture.root, 'home');
    const files = new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve(''),
      secret: () => Promise.resolve(''),
      canChown: false,
    });
    const { queueOut, queueIn } = await files.prepare(SLUG);
    const ports: Partial<HostPorts> = {
      files,
      blobs: new LocalBlobStore(home),
      underWay: await UnderWayFiles.open(home),
      clock: { now: () => 1 },
      queue: new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 }),
      channel: {
        openPr: () => Promise.resolve({ kind: 'refused', reason }),
      } as unknown as HostPorts['channel'],
      log: { info: () => undefined, warn: () => undefined },
    };
    const journal = await TurnJournal.open(files, SLUG, 1, { now: () => 1 });
    const none = (): undefined => undefined;
    const events = { onDone: none, onFlood: none, onOverBudget: none, onSetAside: none };
    const input: Partial<RunTurnInput> = { slug: SLUG, turn: 1, workflowId: 'x' };
    const relay = new Relay(ports as HostPorts, input as RunTurnInput, journal, events);
    await new QueueWriter(queueOut, Date.now).write('request1', {
      ...{ kind: 'open_pr', slug: SLUG, turn: 1, title: 'x', body: '', at: 1 },
    });
    await relay.drainToEmpty(new AbortController().signal);
    const answers = readdirSync(queueIn).map((name) => readFileSync(join(queueIn, name), 'utf8'));
    const prompt = composePrompt({
      kind: 'nudge',
      reason: { why: 'refused', reason },
      ...{
        fresh: null,
        branch: 'b',
        baseBranch: null,
        pr: null,
        events: [],
        omitted: 0,
        limit: null,
        forge: true,
      },
    });
    return `${answers.join('\n')}\n${prompt}`;
  }

  const mirror = (): string => {
    const found = readdirSync(fixture.mirrorsDir, { recursive: true, encoding: 'utf8' });
    const config = found.find((name) => name.endsWith('/config') && !name.startsWith('.scratch'));
    assert.ok(config !== undefined, found.join(' '));
    return dirname(join(fixture.mirrorsDir, config));
  };
  const faults: readonly (readonly [string, () => Promise<SecretGuard | undefined>])[] = [
    [
      'a mirror without its objects',
      async () => {
        await fixture.publish();
        fixture.commit(fixture.work, 'b.txt', 'b');
        rmSync(join(mirror(), 'objects'), { recursive: true, force: true });
        return undefined;
      },
    ],
    [
      'a mirror’s configuration that git can’t read',
      async () => {
        await fixture.publish();
        fixture.commit(fixture.work, 'b.txt', 'b');
        writeFileSync(join(mirror(), 'config'), '[core\n');
        return undefined;
      },
    ],
    [
      'a directory of mirrors that is a file',
      () => {
        writeFileSync(fixture.mirrorsDir, '');
        return Promise.resolve(undefined);
      },
    ],
    [
      'a scanner that quotes the quarantine',
      async () => {
        const program = fakeGitleaks(
          fixture.root,
          `[ -e ${fixture.root}/broken ] || exec ${gitleaksBinary()} "$@"\n` +
            'for last; do :; done; echo "fatal: cannot read $last" >&2; exit 2',
        );
        const scanner = await GitleaksScanner.start({ program });
        writeFileSync(join(fixture.root, 'broken'), '');
        return new SecretGuard(scanner, () => []);
      },
    ],
  ];
  for (const [what, breakIt] of faults)
    it(`are in neither: ${what}`, async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const guard = await breakIt();
      const reason = await fixture
        .publish({}, fixture.repository(guard === undefined ? {} : { secrets: guard }))
        .then(
          (verdict) => ('reason' in verdict ? verdict.reason : `not refused: ${verdict.kind}`),
          (error: unknown) => `the publish gate failed: ${String(error)}`,
        );
      assert.doesNotMatch(reason, /^not refused/);
      const text = await told(reason);
      assert.ok(text.includes('a path on the host'), `${reason}\n${text}`);
      assert.ok(!text.includes(fixture.root) && !text.includes(tmpdir()), text);
    });
});
