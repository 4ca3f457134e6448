import assert from 'node:assert/strict';
import {
  messageWork,
  openPrWork,
  stepOfChange,
  stepOfRun,
  stepOfTurn,
} from '../../../../src/activities/base/work-of-run.js';
import type { QueueBody, QueueMessage } from '../../../../src/domain/run/queue.js';
import { setAsideReason, type Work } from '../../../../src/domain/run/under-way.js';
import { SLUG } from '../../../support/host/host-world.js';

const ID = 'request1';
const message = (kind: QueueBody['kind']): QueueMessage =>
  ({ fileName: `000000000001-${ID}.json`, id: ID, body: { kind } }) as QueueMessage;
const turn = { slug: SLUG, turn: 3 };

const messages = (): readonly Work[] =>
  (['done', 'text', 'proposal', 'operations', 'egress', 'open_pr'] as const).map((kind) =>
    messageWork(SLUG, message(kind)),
  );
const ofRun = (): readonly Work[] =>
  (['keep-commits', 'keep-queue', 'look', 'archive'] as const).map((step) => stepOfRun(SLUG, step));
const REFS = ['1', '2'].map((digit) => digit.repeat(64));
const ofChange = (): readonly Work[] =>
  [REFS, REFS.slice(0, 1), []].map((changes) => stepOfChange({ slug: SLUG, changes }));
const ofTurn = (): readonly Work[] =>
  (['prepare', 'begin', 'read', 'end', 'settle'] as const).map((step) => stepOfTurn(turn, step));

describe('what is marked while it is under way', () => {
  it('is one of its run, by a name that a file may have', () => {
    for (const { slug, key } of [...messages(), ...ofRun(), ...ofChange(), ...ofTurn()])
      assert.deepEqual([slug, /^[a-z0-9_-]{1,80}$/.test(key)], [SLUG, true], key);
  });

  it('has one name for each step, message and turn', () => {
    const next = stepOfTurn({ ...turn, turn: 4 }, 'begin');
    const other = messageWork(SLUG, { ...message('done'), id: 'request2' });
    const [first] = messages();
    const keys = [first, other, ...ofRun(), ...ofChange(), ...ofTurn(), next].map((work) => work?.key);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('is the same for an open_pr wherever it is worked on', () => {
    const asked = openPrWork({ slug: SLUG, requestId: ID });
    assert.deepEqual(messageWork(SLUG, message('open_pr')), asked);
    assert.notEqual(asked.key, messageWork(SLUG, message('done')).key);
  });

  it('goes on beside other work only where it is the reading of the output', () => {
    assert.deepEqual(
      [...messages(), ...ofRun(), ...ofChange(), ...ofTurn()].filter(
        ({ isBackground }) => isBackground === true,
      ),
      [stepOfTurn(turn, 'read')],
    );
  });

  it('is told to people as what it is', () => {
    const told = (works: readonly Work[]): readonly string[] =>
      works.map((work) => setAsideReason(work).replace(/ was under way.*/, ''));
    assert.deepEqual(told(messages()), [
      'signal_done request1',
      'the check of a text request1',
      'a proposal request1',
      'the operation log request1',
      'the egress report request1',
      'open_pr request1',
    ]);
    assert.deepEqual(told(ofRun()).at(0), 'keeping its unpublished commits');
    assert.deepEqual(told(ofChange()), [
      'applying change 222222222222',
      'applying change 111111111111',
      'applying no change',
    ]);
    assert.deepEqual(told(ofTurn()), [
      'preparing turn 3',
      'beginning turn 3',
      'reading the output of turn 3',
      'collecting turn 3',
      'settling turn 3',
    ]);
  });
});
