import assert from 'node:assert/strict';
import { readCommand, readSignal } from '../../../src/workflows/read-message.js';
import { signalOf } from '../../../src/workflows/messages.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import type { RunEvent } from '../../../src/domain/run/events.js';
import { comment, failing, observed, PLACE, SUBJECT, trigger, wrote } from '../../support/machine/world.js';

const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;
const push = { ...comment(3), kind: 'push', key: 'push:x' } as const;
const onPr = { ...comment(2), number: 13 };
const review = { ...comment(4), kind: 'review', number: 13 } as const;

const OURS: readonly (readonly [string, RunEvent])[] = [
  [
    'observed',
    observed({
      readAt: 1,
      trigger: trigger(5),
      prs: [{ number: 13, open: true, merged: false, closedAt: null }],
    }),
  ],
  [
    'observed',
    observed({ readAt: 1, trigger: trigger(5, { operator: { promptRef: null, by: 'alice@desk' } }) }),
  ],
  ['issue_comment', wrote(push, onPr, comment(1))],
  ['pr_comment', wrote(push, onPr)],
  ['pr_review', wrote(comment(1), onPr, review)],
  ['push', wrote(push)],
  ['push', wrote(failing('h'), push)],
  ['checks_failed', wrote(failing('h'))],
  ['comment_deleted', { kind: 'references', references: [], withdrawn: [1], place: PLACE }],
  ['unserved', { kind: 'unserved', why: 'elsewhere' }],
  ['lost', { kind: 'lost', readAt: 1, why: 'gone' }],
  ['turn_started', { kind: 'turn_started', slug: 's', turn: 1, at: 0 }],
  ['turn_held_up', { kind: 'turn_held_up', slug: 's', turn: 1, reason: 'x' }],
  ['signal_done', { kind: 'signal_done', slug: 's', turn: 1, done }],
  ['paused', { kind: 'paused', reason: 'x' }],
  ['unpaused', { kind: 'unpaused' }],
  ['archive', { kind: 'archive', slug: 's' }],
  ['settings', { kind: 'settings', policy: DEFAULT_POLICY }],
];

describe('signals by name', () => {
  for (const [name, event] of OURS)
    it(`${name}: what is sent is what is read`, () => {
      const sent = signalOf(event, SUBJECT.number);
      assert.equal(sent.name, name);
      // Through JSON, as Temporal has it.
      assert.deepEqual(readSignal(sent.name, JSON.parse(JSON.stringify(sent.payload))), event);
    });

  it('are not believed: with a field left out, or of another type, they are no event but a note', () => {
    for (const [, event] of OURS) {
      const { name, payload } = signalOf(event, SUBJECT.number);
      for (const field of Object.keys(payload)) {
        const { [field]: _, ...rest } = payload;
        assert.equal(readSignal(name, rest).kind, 'unread', `${name} without ${field}`);
        for (const odd of [{ toString: 1 }, Number.NaN, [null], [{}], undefined])
          assert.equal(readSignal(name, { ...payload, [field]: odd }).kind, 'unread', `${name}, ${field}`);
      }
    }
  });

  it('of any name and with anything in them are a note of one short line', () => {
    for (const name of [
      'references',
      'command',
      'constructor',
      '__proto__',
      'toString',
      'a\n\u202e`b',
      'x'.repeat(500),
    ])
      for (const payload of [undefined, null, 1, 'x', [], { kind: 'references' }, { kind: 'destroyed' }]) {
        const read = readSignal(name, payload);
        assert.ok(read.kind === 'unread', `${name} ${JSON.stringify(payload)}`);
        assert.match(read.why, /^signal [\w.?-]{1,60} was not understood: [ -~]+$/);
      }
    assert.deepEqual(readSignal('unpaused', null), { kind: 'unpaused' });
    assert.equal(readSignal('observed', { kind: 'observed' }).kind, 'unread');
  });
});

describe('commands by name', () => {
  it('may come with nothing where nothing is needed', () => {
    assert.deepEqual(readCommand('freeze', undefined), { kind: 'freeze' });
    assert.deepEqual(readCommand('destroy', null), { kind: 'destroy' });
    assert.deepEqual(readCommand('resume', {}), { kind: 'resume', promptRef: null });
    assert.deepEqual(readCommand('done', {}), { kind: 'done', status: 'success' });
    assert.deepEqual(readCommand('budget', { turns: 2 }), {
      kind: 'budget',
      turns: 2,
      tokens: 0,
      microUsd: 0,
      dayEnds: null,
    });
  });

  it('say what is wrong with their input, and cannot be turned into another', () => {
    assert.throws(() => readCommand('extend', {}), /extend: "ms" is missing/);
    assert.throws(() => readCommand('extend', { ms: '5' }), /"ms"/);
    assert.throws(() => readCommand('done', { status: 'great' }), /"status"/);
    assert.throws(() => readCommand('resume', 'p'), /takes a JSON object/);
    assert.throws(() => readCommand('freeze', { by: 7 }), /"by"/);
    assert.equal(readCommand('freeze', { kind: 'destroy' }).kind, 'freeze');
  });
});
