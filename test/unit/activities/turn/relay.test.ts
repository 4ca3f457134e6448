import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { Relay } from '../../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import type { QueueAnswer, QueueBody, QueueMessage } from '../../../../src/domain/run/queue.js';
import type { PublishResult } from '../../../../src/domain/run/turn.js';
import { until } from '../../../support/bundle/until.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';

const NOW = 1_700_000_000_000;
const ON = { slug: SLUG, turn: 1, at: NOW };

/** One drain after the other, over a queue in memory; files and marks are real. */
describe('the relay', () => {
  const { signal } = new AbortController();
  const world = useHostWorld();
  let messages: QueueMessage[];
  let answers: QueueAnswer[];
  let events: string[];
  let setAside: string[];
  let isFlooded: boolean;
  /** Requests that are carried to the run. */
  let begun: number;
  let openPr: () => Promise<PublishResult>;
  let whySetAside: string | null;
  let ports: HostPorts;
  let relay: Relay;
  let journal: TurnJournal;

  beforeEach(async () => {
    [messages, answers, events, setAside] = [[], [], [], []];
    [isFlooded, whySetAside, begun] = [false, null, 0];
    openPr = () => Promise.reject(new Error('nobody is asked'));
    const clock = { now: () => NOW };
    journal = await TurnJournal.open(world.ports.files, SLUG, 1, clock);
    const away = (name: string): Promise<void> => {
      messages = messages.filter(({ fileName }) => fileName !== name);
      return Promise.resolve();
    };
    ports = {
      ...world.ports,
      clock,
      blobs: {
        put: (text: string) => {
          begun += 1;
          return world.ports.blobs.put(text);
        },
      },
      queue: {
        read: () => Promise.resolve({ messages: [...messages], flood: isFlooded, refused: [] }),
        acknowledge: (_slug: string, name: string) => away(name),
        setAside: (_slug: string, name: string) => {
          setAside.push(name);
          return away(name);
        },
        answer: (_slug: string, answer: QueueAnswer) => Promise.resolve(void answers.push(answer)),
        retract: () => Promise.resolve(),
      },
      channel: { openPr: () => openPr() },
      underWay: {
        during: (_work: unknown, run: () => Promise<unknown>) => run(),
        whySetAside: () => Promise.resolve(whySetAside),
      },
    } as unknown as HostPorts;
    const input = { ...(await world.settling()), prNumber: null };
    relay = new Relay(ports, input as unknown as ConstructorParameters<typeof Relay>[1], journal, {
      onDone: () => void events.push('done'),
      onFlood: () => void events.push('flood'),
      onOverBudget: () => void events.push('over budget'),
      onSetAside: () => void events.push('set aside'),
    });
  });

  function put(body: QueueBody): void {
    const id = `message${String(messages.length)}`;
    messages.push({ fileName: `00000000000${String(messages.length)}-${id}.json`, id, body });
  }
  const done = (summary: string, turn = 1): QueueBody => ({
    ...ON,
    kind: 'done',
    status: 'success',
    summary,
    turn,
  });
  const request: QueueBody = { ...ON, kind: 'open_pr', title: 'Hello', body: '' };
  const egress = (lastSuccessAt: number | null, isOver = false): QueueBody =>
    ({
      ...{ ...ON, kind: 'egress', process: 'process1', hosts: [], routes: [], lastSuccessAt },
      model: isOver ? { trouble: { kind: 'over_budget' } } : null,
    }) as unknown as QueueBody;

  it('has the agent’s word on disk before anybody acts on it, and keeps the first one', async () => {
    put(done('first'));
    put(done('second'));
    await relay.drain(signal);
    assert.equal((await world.ports.files.readTurn(SLUG, 1))?.done?.summary, 'first');
    assert.deepEqual([events, messages], [['done'], []]);
  });

  it('puts away what an earlier turn left, unheard', async () => {
    put(done('of another turn', 7));
    await relay.drain(signal);
    assert.deepEqual([events, messages, journal.record.done], [[], [], null]);
    assert.equal(journal.record.lastCheckinAt, 0, 'no sign of life either');
  });

  it('takes a refused connection for no sign of life, and a good answer for one when it came', async () => {
    put(egress(null));
    await relay.drain(signal);
    assert.equal(journal.record.lastCheckinAt, 0);
    put(egress(NOW - 5_000));
    await relay.drain(signal);
    assert.equal(journal.record.lastCheckinAt, NOW - 5_000);
    put(egress(NOW + 9_000_000));
    await relay.drain(signal);
    assert.equal(journal.record.lastCheckinAt, NOW, 'a time to come would keep the watchdog away');
  });

  it('tells that the model’s budget is used up', async () => {
    put(egress(null, true));
    await relay.drain(signal);
    assert.deepEqual(events, ['over budget']);
  });

  it('tells of a flood once', async () => {
    isFlooded = true;
    await relay.drain(signal);
    await relay.drain(signal);
    assert.deepEqual(events, ['flood']);
  });

  it('asks for a pull request once, holds nobody else up, and answers before it puts the request away', async () => {
    let asked = 0;
    let answer: (result: PublishResult) => void = () => assert.fail('nobody waits');
    openPr = () => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    put(request);
    put(done('said'));
    await relay.drain(signal);
    await relay.drain(signal);
    await until('the request', () => (asked > 0 ? true : undefined));
    assert.deepEqual([events, messages.length, answers, begun], [['done'], 1, [], 1]);
    answer({ kind: 'published', pr: 31, prUrl: 'https://forge.example/31', head: 'abc', created: true });
    await relay.drainToEmpty(signal);
    const result = { kind: 'published', pr: 31, url: 'https://forge.example/31', head: 'abc' };
    assert.deepEqual([answers, messages, asked], [[{ requestId: 'message0', result }], [], 1]);
  });

  it('does not begin again what was answered while the queue was read', async () => {
    let answer: ((result: PublishResult) => void) | undefined;
    openPr = () => new Promise((resolve) => (answer = resolve));
    put(request);
    put({ ...ON, kind: 'text', where: 'the comment', text: 'hello' });
    await relay.drain(signal);
    await until('the verdict', () => (messages.length === 1 ? true : undefined));
    await until('the request', () => answer);
    const { queue } = ports;
    const read = queue.read.bind(queue);
    queue.read = async (slug) => {
      const found = await read(slug);
      answer?.({ kind: 'refused', reason: 'no' });
      await until('the answer', () => (messages.length === 0 ? true : undefined));
      return found;
    };
    await relay.drain(signal);
    queue.read = read;
    await relay.drainToEmpty(signal);
    assert.deepEqual([begun, answers.map(({ requestId }) => requestId)], [1, ['message1', 'message0']]);
  });

  it('asks again when the request did not get through', async () => {
    const results = [
      (): never => assert.fail('away'),
      (): PublishResult => ({ kind: 'refused', reason: 'no' }),
    ];
    openPr = () => Promise.resolve().then(() => (results.shift() ?? assert.fail('too often'))());
    put(request);
    await relay.drainToEmpty(signal);
    assert.deepEqual(answers, [{ requestId: 'message0', result: { kind: 'refused', reason: 'no' } }]);
  });

  it('gives up what cannot be delivered when nobody watches the turn any longer, and keeps it for the next', async () => {
    const watching = new AbortController();
    openPr = () => {
      watching.abort();
      return Promise.reject(new Error('the run is gone'));
    };
    put(request);
    await relay.drainToEmpty(watching.signal);
    assert.deepEqual([answers, messages.length], [[], 1]);
  });

  it('tells the agent a refusal without where the orchestrator has its files', async () => {
    openPr = () =>
      Promise.resolve({ kind: 'refused', reason: 'cannot open /root/.bot-bottle/mirrors/x.git' });
    put(request);
    await relay.drainToEmpty(signal);
    assert.doesNotMatch(JSON.stringify(answers), /root|mirrors/);
  });

  it('answers and puts aside what killed two workers, with the reason kept', async () => {
    whySetAside = 'it was under way at two crashes';
    put(request);
    await relay.drain(signal);
    const result = { kind: 'refused', reason: whySetAside };
    assert.deepEqual(
      [answers, setAside.length, events],
      [[{ requestId: 'message0', result }], 1, ['set aside']],
    );
    assert.equal((await world.ports.files.readTurn(SLUG, 1))?.setAside, whySetAside);
  });

  it('looks through no text of a sidecar that is gone', async () => {
    put({ ...ON, kind: 'text', where: 'the comment', text: 'hello' });
    await relay.drainToEmpty(signal);
    assert.deepEqual([answers, messages], [[], []]);
  });

  it('says that no pull request was opened when the branch alone was pushed', async () => {
    openPr = () => Promise.resolve({ kind: 'pushed', head: 'abc' });
    put(request);
    await relay.drainToEmpty(signal);
    const result = { kind: 'refused', reason: 'pushed, but no pull request was opened' };
    assert.deepEqual(answers, [{ requestId: 'message0', result }]);
  });

  it('keeps what was done, a line each, and tells whoever traces it', async () => {
    const told: string[] = [];
    Object.assign(ports, { tracing: { tell: (name: string) => void told.push(name) } });
    const lines = ['read_issue', 'comment'].map((operation) => ({
      ...{ id: operation, at: NOW, operation, target: '#12', outcome: 'ok', text: 'words' },
    }));
    put({ ...ON, kind: 'operations', lines } as unknown as QueueBody);
    await relay.drain(signal);
    assert.deepEqual(told, ['sidecar:read_issue', 'sidecar:comment']);
    const kept = (await world.ports.files.readOperations(SLUG, 1)).trimEnd().split('\n');
    assert.deepEqual(kept.length, 2);
    assert.deepEqual([messages, journal.record.lastCheckinAt], [[], NOW]);
  });

  it('keeps no counts of more sidecars than a turn can have, and says so', async () => {
    for (let process = 1; process <= 9; process += 1)
      put({ ...egress(null), process: `process${String(process)}`, refusals: [] } as QueueBody);
    await relay.drain(signal);
    assert.deepEqual(messages, []);
    assert.equal(world.warned.length, 1);
  });

  for (const [what, body, result] of [
    [
      'a text as unchecked',
      { ...ON, kind: 'text', where: 'x', text: 'hello' },
      { kind: 'unchecked', reason: 'it was under way at two crashes' },
    ],
    ['nothing else', { ...ON, kind: 'done', status: 'success', summary: 'said' }, undefined],
  ] as const)
    it(`answers, of what killed two workers, ${what}`, async () => {
      whySetAside = 'it was under way at two crashes';
      put(body);
      await relay.drain(signal);
      assert.deepEqual(answers, result === undefined ? [] : [{ requestId: 'message0', result }]);
      assert.deepEqual([setAside.length, events, journal.record.done], [1, ['set aside'], null]);
    });

  it('keeps the first reason why a message was set aside', async () => {
    whySetAside = 'the first';
    put(done('said'));
    await relay.drain(signal);
    whySetAside = 'the second';
    put(done('said'));
    await relay.drain(signal);
    assert.equal(journal.record.setAside, 'the first');
  });

  it('reads on after the disk has failed', async () => {
    const { queue } = ports;
    const read = queue.read.bind(queue);
    let failed = 0;
    queue.read = (slug) => ((failed += 1) === 1 ? Promise.reject(new Error('no disk')) : read(slug));
    await assert.rejects(relay.drain(signal), /no disk/);
    put(done('said'));
    await relay.drain(signal);
    assert.deepEqual(events, ['done']);
  });
});
