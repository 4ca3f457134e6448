import assert from 'node:assert/strict';
import { BodyRoom } from '../../../../../src/bundle/egress/model/body-room.js';
import { EventStream } from '../../../../../src/bundle/egress/model/event-stream.js';

const MIB = 1024 * 1024;

describe('a stream of events', () => {
  /** What is heard of it, in pieces of so many bytes. */
  function heard(text: string, size = text.length || 1): readonly string[] {
    const events: string[] = [];
    const stream = new EventStream((data) => events.push(data));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) stream.feed(bytes.subarray(at, at + size));
    return events;
  }

  const cases: [what: string, text: string, events: readonly string[]][] = [
    ['one event', 'data: a\n\n', ['a']],
    ['several', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['several lines of data, joined', 'data: a\ndata: b\n\n', ['a\nb']],
    ['data without the space, or with more than one', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['a space within', 'data: a b\n\n', ['a b']],
    ['lines that end as on the web', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['a carriage return within', 'data: a\rb\n\n', ['a\rb']],
    ['other fields and remarks', ': here\nevent: x\nid: 1\ndata: a\n\n', ['a']],
    ['an event without data', 'event: x\n\n\n\ndata: a\n\n', ['a']],
    ['an event of empty data', 'data:\n\n', ['']],
    ['an event that has not ended', 'data: a\n\ndata: b\n', ['a']],
    ['letters of several bytes', 'data: Größe 😀\n\n', ['Größe 😀']],
    ['one letter a line', 'x\ndata: a\n\n', ['a']],
  ];
  for (const [what, text, events] of cases)
    it(`tells of ${what}, however it is cut`, () => {
      for (const size of [undefined, 1, 2, 3]) assert.deepEqual(heard(text, size), events, String(size));
    });

  it('leaves an event out that is larger than any, and goes on with the next', () => {
    const of = (bytes: number): string => `data: ${'x'.repeat(bytes)}\n\n`;
    const next = 'data: next\n\n';
    assert.deepEqual(heard(`${of(4 * MIB)}${next}`, 64 * 1024), ['next']);
    assert.equal(heard(of(4 * MIB - 6))[0]?.length, 4 * MIB - 6);
    const lines = `${`data: ${'x'.repeat(MIB)}\n`.repeat(4)}\n`;
    assert.deepEqual(heard(`${lines}${next}`, 64 * 1024), ['next']);
    const fewer = `${`data: ${'x'.repeat(MIB)}\n`.repeat(3)}\n`;
    assert.equal(heard(`${fewer}${next}`, 64 * 1024).length, 2);
  });

  it('keeps what it has of an event when the chunk that it came in is used again', () => {
    const events: string[] = [];
    const stream = new EventStream((data) => events.push(data));
    const chunk = Buffer.from('data: kept');
    stream.feed(chunk);
    chunk.fill('x');
    stream.feed(Buffer.from('\n\n'));
    assert.deepEqual(events, ['kept']);
  });
});

describe('the room for what arrives', () => {
  it('is given while there is some, to the last byte, and again when it is given back', () => {
    const room = new BodyRoom(10, () => undefined);
    assert.deepEqual([room.take(4), room.take(7), room.take(6), room.take(1)], [true, false, true, false]);
    room.give(6);
    assert.deepEqual([room.take(7), room.take(6)], [false, true]);
  });
});
