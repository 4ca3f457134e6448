import assert from 'node:assert/strict';
import { readBuildOutput } from '../../../../../src/adapters/docker/image/image-output.js';

const KEPT = 256 * 1024;
const MIB = 1024 * 1024;

const printed = (text: string): string => `${JSON.stringify({ stream: text })}\r\n`;

describe('what the engine says of a build', () => {
  async function* saying(...chunks: readonly (Buffer | string)[]): AsyncGenerator<Buffer | string> {
    await Promise.resolve();
    yield* chunks;
  }
  const read = (...chunks: readonly (Buffer | string)[]) => readBuildOutput(saying(...chunks));

  it('is the log and the image’s id, however it is cut', async () => {
    const id = `sha256:${'1'.repeat(64)}`;
    const all = Buffer.from(
      `${printed('Step 1/2\n')}{"status":"…"}\n\nno JSON\n${printed('é done\n')}${JSON.stringify({ aux: { ID: id } })}`,
    );
    const whole = { log: 'Step 1/2\né done\n', id, error: undefined };
    assert.deepEqual(await read(all), whole);
    assert.deepEqual(await read(...[...all].map((byte) => Buffer.of(byte))), whole);
    assert.deepEqual(await read(all.toString()), whole);
  });

  it('is its reason when it failed', async () => {
    const said = await read(printed('make\n'), '{"error":"returned a non-zero code: 2"}\n');
    assert.deepEqual(said, { log: 'make\n', id: undefined, error: 'returned a non-zero code: 2' });
  });

  it('is without a line that is too long', async () => {
    const chunk = 'x'.repeat(MIB / 4);
    assert.equal((await read('{"stream":"', ...Array<string>(6).fill(chunk), '"}\n', printed('y'))).log, 'y');
  });

  it('is the end of a long log, and all of one that is just so long', async () => {
    for (const characters of [KEPT, KEPT + 1, 2 * KEPT, 2 * KEPT + 1, 3 * KEPT]) {
      const text = 'abcdefghij'.repeat(characters / 10 + 1).slice(0, characters);
      const lines = text.match(/.{1,1000}/g) ?? [];
      assert.equal((await read(...lines.map(printed))).log, text.slice(-KEPT), String(characters));
    }
  });

  // Where each line costs a copy of the log, this takes minutes.
  it('is read in no time where it is hundreds of thousands of lines', async () => {
    const chunk = printed('y\n').repeat(1000);
    async function* manyLines(): AsyncGenerator<string> {
      for (let chunks = 0; chunks < 500; chunks += 1) {
        // The test's limit gets its turn.
        await new Promise(setImmediate);
        yield chunk;
      }
      yield printed('end');
    }
    const { log, error } = await readBuildOutput(manyLines());
    assert.deepEqual([log.length, log.slice(-5), error], [KEPT, 'y\nend', undefined]);
  });

  it('is left where it has no end, with what to do and the log so far', async () => {
    const chunk = printed(`${'y'.repeat(1000)}\n`).repeat(64);
    let chunks = 0;
    let isLeft = false;
    async function* endless(): AsyncGenerator<string> {
      await Promise.resolve();
      try {
        for (; chunks * chunk.length < 80 * MIB; chunks += 1) yield chunk;
      } finally {
        isLeft = true;
      }
    }
    const { log, error } = await readBuildOutput(endless());
    assert.match(
      error ?? '',
      /^it printed more than 64 MiB, .*: let its steps print less \(.*>\/dev\/null\)$/,
    );
    assert.deepEqual([log.length, log.slice(-2), isLeft], [KEPT, 'y\n', true]);
    assert.equal(chunks, Math.floor((64 * MIB) / chunk.length));
  });
});
