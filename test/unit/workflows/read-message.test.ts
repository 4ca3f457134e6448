import assert from 'node:assert/strict';
import { readCommand, readSignal } from '../../../src/workflows/read-message.js';
import { signalOf } from '../../../src/workflows/messages.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import type { RunEvent } from '../../../src/domain/run/events.js';
import {
  comment,
  done,
  failing,
  observed,
  PLACE,
  SUBJECT,
  trigger,
  wrote,
} from '../../support/machine/world.js';

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
  ['pr_review', wrote(push, comment(1), { ...comment(4), kind: 'inline', number: 13 })],
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

type Path = readonly (string | number)[];

/** Of every value in it, at any depth. */
function pathsIn(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [
    [key],
    ...pathsIn((value as Record<string | number, unknown>)[key]).map((rest) => [key, ...rest]),
  ]);
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

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

  const full: readonly RunEvent[] = [
    observed({
      readAt: 1,
      aheadMs: -4,
      closedAt: 2,
      trigger: trigger(5, {
        ...{ bottles: ['node'], pull: 13 },
        operator: {
          promptRef: 'p',
          by: 'me',
          source: { forge: 'gitea', owner: 'alice', repo: 'demo', path: '/src/My Project' },
        },
      }),
      prs: [{ number: 13, open: true, merged: false, closedAt: 3 }],
    }),
    wrote(comment(1)),
    { kind: 'references', references: [], withdrawn: [1], place: PLACE },
    { kind: 'turn_started', slug: 's', turn: 1, at: 0, lost: ['home', 'workspace'] },
    { kind: 'signal_done', slug: 's', turn: 1, done },
    { kind: 'settings', policy: DEFAULT_POLICY },
  ];
  const OPTIONAL = new Set(['aheadMs', 'operator', 'by', 'source', 'lost', 'path']);

  for (const event of full)
    it(`${event.kind} are not believed however deep the wrong field is`, () => {
      const { name, payload } = signalOf(event, SUBJECT.number);
      assert.deepEqual(readSignal(name, payload), event, 'nothing of it is lost');
      for (const path of pathsIn(payload)) {
        const where = `${name} ${path.join('.')}`;
        for (const odd of [Symbol('odd'), undefined, { odd: 1 }, ['odd', {}], 'x'.repeat(10_001)]) {
          const isLeftOut = odd === undefined && OPTIONAL.has(String(path.at(-1)));
          const read = readSignal(name, replaced(payload, path, odd));
          assert.equal(read.kind === 'unread', !isLeftOut, `${where}: ${typeof odd}`);
        }
      }
    });

  it('may have as much as any run has, and no more', () => {
    const kindWith = (fields: object): string => readSignal('observed', fields).kind;
    const fine = signalOf(observed({ readAt: 1 }), SUBJECT.number).payload;
    const pr = { number: 13, open: true, merged: false, closedAt: null };
    const bottled = (count: number): object => ({
      ...fine,
      trigger: trigger(5, { bottles: Array<string>(count).fill('b') }),
    });
    for (const [most, more] of [
      [
        { ...fine, prs: Array(1_000).fill(pr) },
        { ...fine, prs: Array(1_001).fill(pr) },
      ],
      [bottled(100), bottled(101)],
      [
        { ...fine, place: { ...PLACE, owner: 'x'.repeat(300) } },
        { ...fine, place: { ...PLACE, owner: 'x'.repeat(301) } },
      ],
    ] as const)
      assert.deepEqual([kindWith(most), kindWith(more)], ['observed', 'unread']);
    const batch = (references: number, withdrawn: number): string =>
      readSignal('push', {
        references: Array(references).fill(push),
        withdrawn: Array(withdrawn).fill(1),
        place: PLACE,
      }).kind;
    assert.equal(batch(1_000, 10_000), 'references');
    assert.deepEqual([batch(1_001, 0), batch(0, 10_001)], ['unread', 'unread']);
    const lost = (count: number): string =>
      readSignal('turn_started', { slug: 's', turn: 1, at: 0, lost: Array(count).fill('home') }).kind;
    assert.deepEqual([lost(2), lost(3)], ['turn_started', 'unread']);
  });

  it('say which field is wrong, or that there is none', () => {
    const why = (name: string, payload?: unknown): string => {
      const read = readSignal(name, payload);
      return read.kind === 'unread' ? read.why : assert.fail(read.kind);
    };
    assert.equal(
      why('lost', { readAt: 1 }),
      'signal lost was not understood: "why" is missing or not what it should be',
    );
    assert.equal(why('lost'), 'signal lost was not understood: it has no record of fields');
    assert.equal(why('lose'), 'signal lose was not understood: no such signal');
    assert.equal(why('a b'), 'signal a?b was not understood: no such signal');
    assert.equal(why('unpaused', 7), 'signal unpaused was not understood: it has no record of fields');
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

  it('take what they need, and who asked', () => {
    const cases: readonly Parameters<typeof readCommand>[] = [
      ['freeze', { by: 'me' }],
      ['resume', { promptRef: 'p', by: 'me' }],
      ['resume', { promptRef: null }],
      ['done', { status: 'failed' }],
      ['done', { status: 'blocked' }],
      ['extend', { ms: 0.5 }],
      ['budget', { turns: 1, tokens: 2, microUsd: 3, dayEnds: 4 }],
      ['move', { by: 'me' }],
    ];
    for (const [kind, input] of cases)
      assert.deepEqual(readCommand(kind, input), { kind, ...(input as object) });
  });

  it('keep nothing that is no parameter', () => {
    const sent = { ms: 5, until: 7, note: 'x'.repeat(9_000) };
    assert.deepEqual(readCommand('extend', sent), { kind: 'extend', ms: 5 });
  });

  it('say of each field that it is wrong', () => {
    const cases: readonly (readonly [...Parameters<typeof readCommand>, string])[] = [
      ['resume', { promptRef: 7 }, 'promptRef'],
      ['budget', { turns: 'x' }, 'turns'],
      ['budget', { tokens: Number.NaN }, 'tokens'],
      ['budget', { microUsd: null }, 'microUsd'],
      ['budget', { dayEnds: 'x' }, 'dayEnds'],
      ['extend', { ms: Infinity }, 'ms'],
      ['move', { by: 'x'.repeat(10_001) }, 'by'],
    ];
    for (const [kind, input, field] of cases)
      assert.throws(() => readCommand(kind, input), {
        message: `${kind}: "${field}" is missing or not what it should be`,
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
