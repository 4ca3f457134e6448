import assert from 'node:assert/strict';
import fc from 'fast-check';
import { positionAt, type LogLine } from '../../../../../src/domain/bottle/bottle-runtime.js';
import { normaliseEngineTime, toUnixNanos } from '../../../../../src/adapters/docker/logs/engine-time.js';
import { LogLineAssembler, MAX_LINE_BYTES } from '../../../../../src/adapters/docker/logs/log-lines.js';
import { frames } from '../../../../../src/adapters/docker/logs/stream-frames.js';

const at = (nanos: number): string => `2026-01-02T03:04:05.${String(nanos).padStart(9, '0')}Z`;

function frame(stream: 'stdout' | 'stderr', text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

async function* cutAt(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield bytes.subarray(from, Math.min(cut, bytes.length));
    await Promise.resolve();
    from = Math.min(cut, bytes.length);
  }
  yield bytes.subarray(from);
}

async function linesOf(
  bytes: Buffer,
  cuts: readonly number[] = [],
  since = positionAt(null),
): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  const assembler = new LogLineAssembler(since, (line) => lines.push(line));
  for await (const part of frames(cutAt(bytes, cuts))) assembler.push(part);
  assembler.flush();
  return lines;
}

describe('log lines', () => {
  it('are the same however the connection cuts the stream', async () => {
    const record = fc.record({
      stream: fc.constantFrom('stdout' as const, 'stderr' as const),
      text: fc.string().map((s) => s.replaceAll('\n', ' ')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 20, size: 'max' }),
        fc.array(fc.nat(400)),
        async (records, cuts) => {
          const bytes = Buffer.concat(
            records.map(({ stream, text }, i) => frame(stream, `${at(i)} ${text}\n`)),
          );
          assert.deepEqual(
            await linesOf(bytes, cuts),
            records.map(({ stream, text }, i) => ({ stream, at: at(i), text })),
          );
        },
      ),
    );
  });

  it('are put together from records without a newline, each stream for itself, with the first time', async () => {
    const bytes = Buffer.concat([
      frame('stdout', `${at(1)} one `),
      frame('stderr', `${at(2)} other\n`),
      frame('stdout', `${at(3)} two\n`),
      frame('stdout', `${at(4)} rest`),
    ]);
    assert.deepEqual(await linesOf(bytes), [
      { stream: 'stderr', at: at(2), text: 'other' },
      { stream: 'stdout', at: at(1), text: 'one two' },
      { stream: 'stdout', at: at(4), text: 'rest' },
    ]);
  });

  it('are cut at the cap, say by how much, and the next line is whole again', async () => {
    const part = 'ü'.repeat(8000);
    const bytes = Buffer.concat([
      ...Array.from({ length: 20 }, () => frame('stdout', `${at(1)} ${part}`)),
      frame('stdout', `${at(1)} end\n`),
      frame('stdout', `${at(2)} next\n`),
    ]);
    const [long, next] = await linesOf(bytes);
    const missing = 20 * 16_000 + 'end'.length - MAX_LINE_BYTES;
    assert.equal(
      long?.text,
      `${'ü'.repeat(MAX_LINE_BYTES / 2)} [${String(missing)} more bytes of this line are not kept]`,
    );
    assert.equal(next?.text, 'next');
  });

  it('up to the last one seen of their stream are not passed on', async () => {
    const bytes = Buffer.concat(
      [1, 2, 3].flatMap((i) => [
        frame('stderr', `${at(i + 3)} err ${String(i)}\n`),
        frame('stdout', `${at(i)} out ${String(i)}\n`),
      ]),
    );
    assert.deepEqual(
      (await linesOf(bytes, [], { stdout: at(2), stderr: at(4) })).map(({ text }) => text),
      ['err 2', 'err 3', 'out 3'],
    );
  });

  it('keep empty lines, and spaces in the text', async () => {
    const bytes = Buffer.concat([frame('stdout', `${at(1)} \n`), frame('stdout', `${at(2)}  a  b \n`)]);
    assert.deepEqual(
      (await linesOf(bytes)).map(({ text }) => text),
      ['', ' a  b '],
    );
  });

  it('are refused when the stream is none of the engine, and say what the engine reports in it', async () => {
    await assert.rejects(linesOf(Buffer.from('this is no multiplexed stream at all')), /multiplexed/);
    await assert.rejects(linesOf(frame('stdout', 'no time\n')), /time stamp/);
    const failure = frame('stdout', 'disk on fire');
    failure.writeUInt8(3, 0);
    await assert.rejects(linesOf(failure), /disk on fire/);
  });
});

describe('time of the engine', () => {
  it('always has nine digits, so that text order is time order', () => {
    assert.equal(normaliseEngineTime('2026-01-02T03:04:05Z'), at(0));
    assert.equal(normaliseEngineTime('2026-01-02T03:04:05.12Z'), at(120_000_000));
    assert.equal(normaliseEngineTime('2026-01-02T03:04:05.000000007+00:00'), at(7));
    for (const text of ['', 'yesterday', '2026-01-02', '2026-13-02T03:04:05Z', '2026-01-02T03:04:05+02:00']) {
      assert.equal(normaliseEngineTime(text), undefined);
    }
  });

  it('becomes seconds and nanoseconds without loss', () => {
    assert.equal(toUnixNanos(at(123_456_789), 0), '1767323045.123456789');
    assert.equal(toUnixNanos(at(123_456_789), 10), '1767323035.123456789');
    assert.equal(toUnixNanos('0001-01-01T00:00:00.000000000Z', 0), '0.000000000');
  });
});
