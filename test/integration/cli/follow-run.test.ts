import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followRun, type FollowOptions, type LogEntry } from '../../../src/cli/logs/follow-run.js';
import type { RunLogs } from '../../../src/cli/base/run-logs.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { runLogs } from '../../../src/wiring/run-logs.js';
import { LogHome, SLUG, toolUse } from '../../support/logs/log-home.js';
import { waitUntil } from '../../support/stack/stack.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

/** Real files that grow, under the real reader of them. */
describe('following the log of a run', () => {
  const newPath = useNewPaths();
  let home: LogHome;
  let logs: RunLogs;
  let ending: AbortController;
  /** By turn: where the reader last found the end of its log. */
  let ends: Map<number, number>;

  beforeEach(async () => {
    home = await LogHome.make(newPath());
    const real = runLogs(home.home);
    ends = new Map();
    logs = {
      ...real,
      read: async (slug, turn, offset) => {
        const piece = await real.read(slug, turn, offset);
        if (piece.length === 0) ends.set(turn, offset);
        return piece;
      },
    };
    ending = new AbortController();
  });
  afterEach(async () => {
    ending.abort();
    await logs.close();
    await home.close();
  });

  interface Followed {
    readonly entries: LogEntry[];
    readonly over: Promise<void>;
  }
  function follow(options: Partial<FollowOptions> = {}): Followed {
    const entries: LogEntry[] = [];
    const all = { follow: true, turn: null, from: 'start', signal: ending.signal, ...options } as const;
    const over = (async () => {
      for await (const entry of followRun(logs, SLUG, all)) entries.push(entry);
    })();
    return { entries, over };
  }
  const linesOf = (entries: readonly LogEntry[]): string[] =>
    entries.flatMap((entry) => (entry.kind === 'line' ? [entry.line.split(' ').slice(2).join(' ')] : []));
  const kindsOf = (entries: readonly LogEntry[]): string[] =>
    entries.map((entry) => (entry.kind === 'line' ? linesOf([entry]).join() : entry.kind));
  const reachedEnd = (turn: number, size: number | null): boolean => ends.get(turn) === size;
  const until = ({ entries }: Followed, kind: string): Promise<void> =>
    waitUntil(kind, () => kindsOf(entries).includes(kind));

  it('shows what there is of all turns, and ends', async () => {
    await home.begin(1);
    home.say(1, 'one');
    await home.end(1);
    await home.begin(2);
    home.say(2, 'two');
    home.write(2, '2026-11-21T11:00:01Z stdout without newline');
    const { entries, over } = follow({ follow: false });
    await over;
    assert.deepEqual(kindsOf(entries), [
      'turn_begun',
      'one',
      'turn_ended',
      'turn_begun',
      'two',
      'without newline',
    ]);
  });

  it('waits for a log that is not there yet, for the end of a line, and for the next turn, until the run is over', async () => {
    await home.begin(1);
    const followed = follow();
    const { entries, over } = followed;
    await until(followed, 'turn_begun');
    home.say(1, 'one');
    await until(followed, 'one');
    const line = Buffer.from(home.line('in pieces: 見'));
    // In the middle of a character.
    home.write(1, line.subarray(0, -2));
    await waitUntil('the piece to be read', async () => reachedEnd(1, await logs.size(SLUG, 1)));
    assert.deepEqual(kindsOf(entries), ['turn_begun', 'one']);
    home.write(1, line.subarray(-2));
    await until(followed, 'in pieces: 見');
    await home.end(1);
    await until(followed, 'waiting');
    await home.begin(2);
    home.say(2, 'two');
    await until(followed, 'two');
    await home.status('destroyed');
    await over;
    assert.deepEqual(kindsOf(entries), [
      'turn_begun',
      'one',
      'in pieces: 見',
      'turn_ended',
      'waiting',
      'turn_begun',
      'two',
    ]);
  });

  it('has every line once, over a writer that is gone for a while and cuts its lines anywhere', async () => {
    await home.begin(1);
    const followed = follow();
    const texts = Array.from(
      { length: 2_000 },
      (_, index) => `line ${String(index)} ${'é'.repeat(index % 90)}`,
    );
    const bytes = Buffer.from(texts.map((text) => home.line(text)).join(''));
    for (let at = 0; at < bytes.length; at += 7_919) {
      home.write(1, bytes.subarray(at, at + 7_919));
      await new Promise(setImmediate);
    }
    await home.end(1);
    await until(followed, 'turn_ended');
    assert.deepEqual(linesOf(followed.entries), texts);
  });

  it('from now on leaves out what is there, and shows the line whole that is being written', async () => {
    await home.begin(1);
    home.say(1, ...Array.from({ length: 500 }, (_, index) => `old ${'x'.repeat(200)} ${String(index)}`));
    const line = home.line('half');
    home.write(1, line.slice(0, -2));
    const followed = follow({ from: 'now' });
    await until(followed, 'turn_begun');
    home.write(1, line.slice(-2));
    home.say(1, 'new');
    await until(followed, 'new');
    assert.deepEqual(kindsOf(followed.entries), ['turn_begun', 'half', 'new']);
  });

  it('from now on is about the next turn when the last has ended', async () => {
    await home.begin(1);
    home.say(1, 'old');
    await home.end(1);
    const followed = follow({ from: 'now' });
    await until(followed, 'waiting');
    await home.begin(2);
    home.say(2, 'new');
    await until(followed, 'new');
    assert.deepEqual(kindsOf(followed.entries), ['waiting', 'turn_begun', 'new']);
  });

  it('of one turn ends with it, and waits for it when it has not begun', async () => {
    await home.begin(1);
    home.say(1, 'one');
    await home.end(1);
    const followed = follow({ turn: 2 });
    await until(followed, 'waiting');
    await home.begin(2);
    home.say(2, 'two');
    await until(followed, 'two');
    await home.end(2);
    await followed.over;
    assert.deepEqual(kindsOf(followed.entries), ['waiting', 'turn_begun', 'two', 'turn_ended']);
    const past = follow({ turn: 1 });
    await past.over;
    assert.deepEqual(kindsOf(past.entries), ['turn_begun', 'one', 'turn_ended']);
  });

  it('goes on behind a turn of which nobody wrote the end', async () => {
    await home.begin(1);
    home.say(1, 'one');
    home.write(1, '2026-11-21T11:00:01Z stdout cut');
    const followed = follow();
    await until(followed, 'one');
    await home.begin(2);
    home.say(2, 'two');
    await until(followed, 'two');
    assert.deepEqual(kindsOf(followed.entries), ['turn_begun', 'one', 'cut', 'turn_begun', 'two']);
  });

  it('ends at once when it is interrupted, wherever it is', async () => {
    await home.begin(1);
    const { over } = follow();
    ending.abort();
    await over;
    home.say(1, ...Array.from({ length: 10_000 }, (_, index) => String(index)));
    const many = new AbortController();
    const entries: LogEntry[] = [];
    const options = { follow: false, turn: null, from: 'start', signal: many.signal } as const;
    for await (const entry of followRun(logs, SLUG, options)) {
      entries.push(entry);
      many.abort();
    }
    assert.deepEqual(kindsOf(entries), ['turn_begun']);
  });

  it('says of an ended turn whose log was removed that nothing is kept', async () => {
    await home.begin(1);
    await home.end(1);
    const { entries, over } = follow({ follow: false });
    await over;
    assert.deepEqual(kindsOf(entries), ['turn_begun', 'no_log', 'turn_ended']);
  });

  it('needs no database for a slug: the files say which turns, of which provider, and that the run is over', async () => {
    home.say(1, toolUse('Bash'));
    writeFileSync(
      join(home.home, 'state', SLUG, 'turns', '1', 'record.json'),
      JSON.stringify({ ...blankTurnRecord(1), provider: { name: 'scripted', version: null } }),
    );
    await home.close();
    for (const damage of ['remove', 'spoil']) {
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(home.home, `bot-bottle.db${suffix}`), { force: true });
      if (damage === 'spoil') writeFileSync(join(home.home, 'bot-bottle.db'), 'no database');
      const bare = runLogs(home.home);
      assert.equal(await bare.find({ kind: 'slug', slug: SLUG }), SLUG);
      assert.equal(await bare.find({ kind: 'slug', slug: 'other-1-abcde' }), undefined);
      assert.deepEqual(await bare.turns(SLUG), [1]);
      assert.equal(await bare.isOver(SLUG), false);
      assert.deepEqual((await bare.facts(SLUG, 1)).provider, { name: 'scripted', version: null });
      await bare.close();
    }
    rmSync(join(home.home, 'state', SLUG, 'workspace'), { recursive: true });
    assert.equal(await logs.isOver(SLUG), true);
  });

  it('finds a run by its issue, and one whose issue a later run has by its slug', async () => {
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
    assert.equal(await logs.find({ kind: 'subject', subject }), SLUG);
    await home.database.forgeState.upsert(stateRow({ slug: 'later-alice-demo-12-zzzzz', issueNumber: 12 }));
    assert.equal(await logs.find({ kind: 'subject', subject }), 'later-alice-demo-12-zzzzz');
    assert.equal(await logs.find({ kind: 'slug', slug: SLUG }), SLUG);
    assert.equal(await logs.isOver(SLUG), true);
  });

  it('reads what this version’s CLI prints, in releases that differ in the last number', () => {
    const version = agentProvider('claude').version ?? '';
    const [major = '', minor = '', patch = ''] = version.split('.');
    assert.notEqual(logs.reader('claude', version), undefined);
    assert.notEqual(logs.reader('claude', `${major}.${minor}.${patch}0`), undefined);
    assert.equal(logs.reader('claude', `${major}.${minor}0.${patch}`), undefined);
    assert.equal(logs.reader('claude', null), undefined);
    assert.equal(logs.reader('nobody', version), undefined);
    assert.notEqual(logs.reader('scripted', null), undefined);
  });
});
