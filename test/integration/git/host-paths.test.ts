import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { composePrompt } from '../../../src/domain/prompt/prompt.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { fakeGitleaks } from '../../support/gitleaks/fake-gitleaks.js';
import { HostWorld, SLUG } from '../../support/host/host-world.js';
import { GitFixture } from './git-fixture.js';

const NO_SCANNER = new SecretGuard(null, () => []);

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
    const world = await new HostWorld().open(join(fixture.root, 'home'));
    const { files } = world.ports;
    const { queueOut, queueIn } = files.paths(SLUG);
    const openPr = () => Promise.resolve({ kind: 'refused', reason } as const);
    const ports = { ...world.ports, channel: { ...world.ports.channel, openPr } };
    const journal = await TurnJournal.open(files, SLUG, 1, { now: () => 1 });
    const none = (): undefined => undefined;
    const events = { onDone: none, onFlood: none, onOverBudget: none, onSetAside: none };
    const relay = new Relay(ports, await world.turning(), journal, events);
    await new QueueWriter(queueOut, Date.now).write('request1', {
      ...{ kind: 'open_pr', slug: SLUG, turn: 1, title: 'x', body: '', at: 1 },
    });
    await relay.drainToEmpty(new AbortController().signal);
    const answers = readdirSync(queueIn).map((name) => readFileSync(join(queueIn, name), 'utf8'));
    const prompt = composePrompt({
      kind: 'nudge',
      reason: { why: 'refused', reason },
      ...{ fresh: null, branch: 'b', baseBranch: null, pr: null, events: [], omitted: 0 },
      ...{ limit: null, forge: true },
    });
    return `${answers.join('\n')}\n${prompt}`;
  }

  const mirror = (): string => {
    const found = readdirSync(fixture.mirrorsDir, { recursive: true, encoding: 'utf8' });
    const config = found.find((name) => name.endsWith('/config') && !name.startsWith('.scratch'));
    assert.ok(config !== undefined, found.join(' '));
    return dirname(join(fixture.mirrorsDir, config));
  };
  const afterFirst = async (): Promise<void> => {
    await fixture.publish();
    fixture.commit(fixture.work, 'b.txt', 'b');
  };
  const faults: Readonly<Record<string, () => Promise<SecretGuard>>> = {
    'a mirror without its objects': async () => {
      await afterFirst();
      rmSync(join(mirror(), 'objects'), { recursive: true, force: true });
      return NO_SCANNER;
    },
    'a mirror’s configuration that git can’t read': async () => {
      await afterFirst();
      writeFileSync(join(mirror(), 'config'), '[core\n');
      return NO_SCANNER;
    },
    'a directory of mirrors that is a file': () => {
      writeFileSync(fixture.mirrorsDir, '');
      return Promise.resolve(NO_SCANNER);
    },
    'a scanner that quotes the quarantine': async () => {
      const program = fakeGitleaks(
        fixture.root,
        `[ -e ${fixture.root}/broken ] || exec ${gitleaksBinary()} "$@"\n` +
          'for last; do :; done; echo "fatal: cannot read $last" >&2; exit 2',
      );
      const scanner = await GitleaksScanner.start({ program });
      writeFileSync(join(fixture.root, 'broken'), '');
      return new SecretGuard(scanner, () => []);
    },
  };
  for (const [what, breakIt] of Object.entries(faults))
    it(`are in neither: ${what}`, async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const secrets = await breakIt();
      const reason = await fixture.publish({}, fixture.repository({ secrets })).then(
        (verdict) => ('reason' in verdict ? verdict.reason : `not refused: ${verdict.kind}`),
        (error: unknown) => `the publish gate failed: ${String(error)}`,
      );
      assert.doesNotMatch(reason, /^not refused/);
      const text = await told(reason);
      assert.ok(text.includes('a path on the host'), `${reason}\n${text}`);
      assert.ok(!text.includes(fixture.root) && !text.includes(tmpdir()), text);
    });
});
