import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { scansOf } from '../../../../src/activities/publish/publish-scans.js';
import { TextChecks, type TextMessage } from '../../../../src/activities/turn/text-checks.js';
import type { QueueAnswer } from '../../../../src/domain/run/queue.js';
import type { SecretScan } from '../../../../src/domain/secret/secret-guard.js';
import { useHostWorld, SECRET, SLUG } from '../../../support/host/host-world.js';

const ON = { slug: SLUG, turn: 1 };

/** The scanner is the real one without gitleaks, which knows the orchestrator's own secrets; the queue is in memory. */
describe('texts that are looked through before they are posted', () => {
  const world = useHostWorld();
  let answers: QueueAnswer[];
  let acknowledged: string[];
  let retracted: string[];
  let work: string[];
  let queue: Pick<HostPorts['queue'], 'answer' | 'retract'>;
  let scanTexts: HostPorts['secrets']['scanTexts'];
  let checks: TextChecks;
  const stop = new AbortController();

  beforeEach(() => {
    [answers, acknowledged, retracted, work] = [[], [], [], []];
    const { secrets } = world.ports;
    scanTexts = secrets.scanTexts.bind(secrets);
    queue = {
      answer: (_slug, answer) => Promise.resolve(void answers.push(answer)),
      retract: (_slug, id) => Promise.resolve(void retracted.push(id)),
    };
    const ports = {
      ...world.ports,
      queue,
      secrets: {
        scanTexts: (texts: Parameters<typeof scanTexts>[0]) => scanTexts(texts),
        report: secrets.report.bind(secrets),
      },
      underWay: {
        during: (of: unknown, run: () => Promise<void>) => {
          work.push(JSON.stringify(of));
          return run();
        },
      },
    } as unknown as HostPorts;
    checks = new TextChecks(ports, ON, ({ fileName }) => Promise.resolve(void acknowledged.push(fileName)));
  });

  function message(id: string, text = 'hello'): TextMessage {
    const body = { ...ON, at: 0, kind: 'text', where: 'the comment', text } as const;
    return { id, fileName: `${id}.json`, body };
  }
  /** All that were started are through; nobody waits any more. */
  async function results(): Promise<QueueAnswer['result'][]> {
    await checks.end();
    return answers.map(({ result }) => result);
  }

  it('answers a clean one, puts it away, and keeps no word of it', async () => {
    checks.start(message('one'), stop.signal);
    assert.deepEqual(await results(), [{ kind: 'clean' }]);
    assert.deepEqual([answers[0]?.requestId, acknowledged], ['one', ['one.json']]);
    assert.deepEqual([await scansOf(world.ports, ON), world.warned], [[], []]);
    assert.match(work.join(), /one/, 'a crash in it is counted');
  });

  it('refuses one with a secret, says where, and keeps that on record', async () => {
    checks.start(message('one', `it is ${SECRET}`), stop.signal);
    const [result] = await results();
    assert.ok(result?.kind === 'secret');
    assert.match(result.reason, /^this looks like a secret: the comment/);
    assert.doesNotMatch(result.reason, new RegExp(SECRET));
    const [scan] = await scansOf(world.ports, ON);
    assert.deepEqual([scan?.outcome, scan?.of], ['found', 'the comment']);
    assert.deepEqual(world.warned, []);
  });

  it('says that one is unchecked when the scanner has failed, keeps it on record, and logs it', async () => {
    scanTexts = () => Promise.resolve({ kind: 'failed', reason: 'gitleaks is gone' });
    checks.start(message('one'), stop.signal);
    assert.deepEqual(await results(), [{ kind: 'unchecked', reason: 'gitleaks is gone' }]);
    assert.equal((await scansOf(world.ports, ON)).length, 1);
    assert.deepEqual(world.warned, ['text not checked']);
  });

  it('tells the agent nothing of a fault of the orchestrator’s own', async () => {
    scanTexts = () => Promise.reject(new Error('EACCES: /root/.bot-bottle'));
    checks.start(message('one'), stop.signal);
    assert.deepEqual(await results(), [
      { kind: 'unchecked', reason: 'the orchestrator could not look through it' },
    ]);
    assert.deepEqual(world.warned, ['text not checked']);
  });

  it('looks through one after another, and through none twice at once', async () => {
    const open: ((scan: SecretScan) => void)[] = [];
    scanTexts = () => new Promise((resolve) => open.push(resolve));
    const clean = (): void => open.at(-1)?.({ kind: 'scanned', findings: [] });
    for (const id of ['one', 'one', 'two']) checks.start(message(id), stop.signal);
    await settled();
    assert.deepEqual([open.length, work.length], [1, 1]);
    clean();
    await settled();
    assert.deepEqual([open.length, acknowledged], [2, ['one.json']]);
    clean();
    assert.equal((await results()).length, 2);
  });

  it('is asked again for a verdict that could not be passed on', async () => {
    const { answer } = queue;
    queue.answer = () => Promise.reject(new Error('no disk'));
    checks.start(message('one'), stop.signal);
    await settled();
    assert.deepEqual([acknowledged, world.warned], [[], ['verdict not passed on; trying again']]);
    queue.answer = answer;
    checks.start(message('one'), stop.signal);
    assert.deepEqual(await results(), [{ kind: 'clean' }]);
  });

  it('leaves to the next worker what it has not begun when it stops', async () => {
    checks.start(message('one'), AbortSignal.abort());
    assert.deepEqual([await results(), acknowledged], [[], []]);
  });

  it('takes the oldest verdict away when many were given since, and all of them at the end', async () => {
    for (let id = 0; id < 66; id += 1) checks.start(message(String(id)), stop.signal);
    await settled(() => acknowledged.length === 66);
    assert.deepEqual(retracted, ['0', '1']);
    await checks.end();
    assert.equal(retracted.length, 66);
    await checks.end();
    assert.equal(retracted.length, 66, 'once');
  });
});

/** What can go on by itself has done so. */
async function settled(isSo = (): boolean => false): Promise<void> {
  for (let turn = 0; turn < 2_000 && !isSo(); turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
}
