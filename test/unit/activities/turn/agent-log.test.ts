import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mock } from 'node:test';
import { stepOfTurn } from '../../../../src/activities/base/work-of-run.js';
import { blankTurnRecord } from '../../../../src/activities/turn/turn-journal.js';
import { LocalRunFiles } from '../../../../src/adapters/files/run/run-files.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { SetAsideError } from '../../../../src/domain/run/under-way.js';
import { SLUG } from '../../../support/host/host-world.js';
import { passTimeUntil } from '../../../support/turn/pass-time.js';
import { NOW, TurnWorld } from '../../../support/turn/turn-world.js';
import { doneMessage, errorOf, resultOf, WatchedTurn } from '../../../support/turn/watched-turn.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const SESSION = '4f2b8d0e-6a53-4c1f-9e57-2d0c6f1b7a94';
const event = (type: string): string => JSON.stringify({ type, session_id: SESSION });

describe('the output of an agent', () => {
  const newPath = useNewPaths();
  let home: string;
  let world: TurnWorld;
  let watched: WatchedTurn;
  beforeEach(async () => {
    home = newPath();
    world = await TurnWorld.open(home);
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
    watched = new WatchedTurn(world);
  });
  afterEach(() => mock.timers.reset());

  const log = (turn = 1): string =>
    readFileSync(`${world.ports.files.paths(SLUG).root}/turns/${String(turn)}/agent.log`, 'utf8');
  /** Texts in the log. */
  const texts = (): readonly string[] =>
    log()
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').slice(2).join(' '));
  const isLogged = (text: string) => (): boolean => {
    try {
      return log().includes(text);
    } catch {
      return false;
    }
  };
  const follows = (): readonly string[] => world.asked.filter((what) => what.startsWith('follow'));
  const away = (): Error => new BottleRuntimeError('away', true, { away: true });

  it('is in the turn’s log, line by line, to the last one', async () => {
    const ending = await watched.begin();
    world.print('first');
    world.print('wrong', 'stderr');
    await passTimeUntil(isLogged('wrong'));
    world.print('last');
    world.exit('agent');
    await resultOf(ending);
    assert.deepEqual(log().split('\n'), [
      '2026-11-23T10:00:00.000000000Z stdout first',
      '2026-11-23T10:00:01.000000000Z stderr wrong',
      '2026-11-23T10:00:02.000000000Z stdout last',
      '',
    ]);
  });

  it('is a sign of life where it is an event, and says which session it is', async () => {
    const ending = await watched.begin();
    const { lastCheckinAt } = (await world.ports.files.readTurn(SLUG, 1)) ?? blankTurnRecord(1);
    world.print('only words');
    await passTimeUntil(isLogged('only words'));
    world.exit('agent');
    assert.equal((await resultOf(ending)).lastCheckinAt, lastCheckinAt);
    world = await TurnWorld.open(`${home}-b`);
    watched = new WatchedTurn(world);
    const next = await watched.begin();
    const begun = (await world.ports.files.readTurn(SLUG, 1))?.lastCheckinAt ?? 0;
    mock.timers.tick(10_000);
    world.print(event('tool_use'));
    await passTimeUntil(isLogged('tool_use'));
    world.exit('agent');
    const result = await resultOf(next);
    assert.ok(result.lastCheckinAt >= begun + 10_000);
    assert.deepEqual([result.sessionId, result.agent.toolCalls], [SESSION, 1]);
  });

  it('goes on behind the last line of the log when another worker watches', async () => {
    const ending = await watched.begin();
    world.print(event('tool_use'));
    await passTimeUntil(isLogged('tool_use'));
    watched.attachments.take(SLUG);
    await errorOf(ending);
    world.print('second');
    const next = await watched.watch({ begun: true }, 'attach');
    await passTimeUntil(isLogged('second'));
    world.exit('agent');
    const { agent } = await resultOf(next);
    assert.deepEqual(texts(), [event('tool_use'), 'second']);
    assert.equal(agent.toolCalls, 1, 'what was read before counts, once');
    assert.ok(follows().includes('follow 2026-11-23T10:00:00.000000000Z all'));
  });

  it('has a line that a crash has cut once more, whole', async () => {
    const ending = await watched.begin();
    world.print('whole');
    await passTimeUntil(isLogged('whole'));
    watched.attachments.take(SLUG);
    await errorOf(ending);
    world.print('cut in the middle');
    const { files } = world.ports;
    await files.saveFile(SLUG, 'turns/1/agent.log', `${log()}2026-11-23T10:00:01.000000000Z stdout cut in`);
    const next = await watched.watch({ begun: true }, 'attach');
    await passTimeUntil(isLogged('cut in the middle'));
    world.exit('agent');
    await resultOf(next);
    assert.deepEqual(texts(), ['whole', 'cut in the middle']);
  });

  it('goes on behind the last line of each stream, and where the turn began without one', async () => {
    const since = '2026-11-23T09:00:00.000000000Z';
    const ending = await watched.begin();
    world.print('seen');
    await passTimeUntil(isLogged('seen'));
    watched.attachments.take(SLUG);
    await errorOf(ending);
    const { files } = world.ports;
    const record = await files.readTurn(SLUG, 1);
    assert.ok(record !== undefined);
    await files.writeTurn(SLUG, { ...record, logSince: since });
    const next = await watched.watch({ begun: true }, 'attach');
    await passTimeUntil(() => follows().length > 1);
    world.exit('agent');
    await resultOf(next);
    assert.equal(follows().at(-1), `follow 2026-11-23T10:00:00.000000000Z ${since}`);
  });

  it('has a line that came behind a younger one of the other stream, though nobody watched', async () => {
    const ending = await watched.begin();
    world.print('first');
    world.print('second', 'stderr');
    const [, second] = world.printed;
    assert.ok(second !== undefined);
    await passTimeUntil(isLogged('second'));
    watched.attachments.take(SLUG);
    await errorOf(ending);
    world.printed.push({ stream: 'stdout', at: '2026-11-23T10:00:00.500000000Z', text: 'late' });
    const next = await watched.watch({ begun: true }, 'attach');
    await passTimeUntil(isLogged('late'));
    world.exit('agent');
    await resultOf(next);
    assert.deepEqual(texts(), ['first', 'second', 'late']);
  });

  it('is followed again when the engine was away', async () => {
    let isBroken = false;
    world.fault = (what) => {
      if (what !== 'follow on' || isBroken || world.printed.length === 0) return undefined;
      isBroken = true;
      return away();
    };
    const ending = await watched.begin();
    world.print('before');
    await passTimeUntil(() => follows().length > 1);
    world.print('after');
    await passTimeUntil(isLogged('after'));
    world.exit('agent');
    await resultOf(ending);
    assert.deepEqual(texts(), ['before', 'after']);
  });

  it('is said to have gaps where the engine may have let go of lines', async () => {
    world.mayHaveGap = true;
    const ending = await watched.begin();
    world.print('some');
    world.exit('agent');
    await resultOf(ending);
    assert.match(log(), /some\n- host lines of this turn may be missing/);
  });

  it('is said to have gaps where the disk did not take lines', async () => {
    const { files } = world.ports;
    const appendLog = files.appendLog.bind(files);
    let isBroken = true;
    files.appendLog = async (...call) => {
      if (!isBroken) return appendLog(...call);
      isBroken = false;
      throw new Error('EIO');
    };
    const ending = await watched.begin();
    world.print('lost');
    await passTimeUntil(() => !isBroken);
    world.print('kept');
    world.exit('agent');
    await resultOf(ending);
    assert.match(log(), /kept\n- host lines of this turn may be missing/);
  });

  it('is counted and not kept once the log is full', async () => {
    const secret = (): Promise<string> => Promise.resolve('');
    const files = new LocalRunFiles({ home, forgeToken: secret, secret, canChown: false, maxLogBytes: 400 });
    Object.assign(world.ports, { files });
    const ending = await watched.begin();
    for (let line = 0; line < 10; line += 1) world.print('x'.repeat(50));
    await passTimeUntil(isLogged('the log is full'));
    // Lines that find it full are another way through: they come when that write is over.
    let looks = 0;
    await passTimeUntil(() => (looks += 1) > 50);
    world.print(event('tool_use'));
    world.exit('agent');
    const { agent } = await resultOf(ending);
    assert.match(log(), /- host at least \d+ lines \(\d+ bytes\) of this turn are not kept\n$/);
    assert.doesNotMatch(log(), /tool_use/);
    assert.equal(agent.toolCalls, 1, 'it is read all the same');
  });

  it('is not read any more when that killed worker after worker: the turn is over', async () => {
    const work = stepOfTurn({ slug: SLUG, turn: 1 }, 'read');
    world.ports.underWay.during = (mark, run) =>
      mark.key === work.key ? Promise.reject(new SetAsideError(work)) : run();
    const { setAside, stopped } = await resultOf(await watched.watch());
    assert.match(setAside ?? '', /reading the output of turn 1/);
    assert.equal(stopped, null);
    assert.ok(world.asked.includes('stop agent 5'));
    assert.match(log(), /lines of this turn may be missing/);
  });

  it('comes before any message of the sidecar when another worker watches', async () => {
    const ending = await watched.begin();
    watched.attachments.take(SLUG);
    await errorOf(ending);
    const order: string[] = [];
    const { files } = world.ports;
    const appendLog = files.appendLog.bind(files);
    files.appendLog = (...of) => {
      order.push('log');
      return appendLog(...of);
    };
    const acknowledge = world.ports.queue.acknowledge.bind(world.ports.queue);
    world.ports.queue.acknowledge = (...of) => {
      order.push('message');
      return acknowledge(...of);
    };
    world.print('printed while nobody watched');
    world.send(doneMessage());
    const next = await watched.watch({ begun: true }, 'attach');
    await passTimeUntil(() => order.includes('message'));
    world.exit('agent');
    await resultOf(next);
    assert.equal(order[0], 'log');
  });
});
