import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { positionAt, type LogLine } from '../../../src/domain/bottle/bottle-runtime.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { waitUntil } from '../../support/stack/stack.js';
import { withBottles } from './support/test-bottle.js';

const COUNT = 2000;

describe('docker: logs', () => {
  const bottle = withBottles();

  it('gives every line of both streams with its time, in order, and ends with the container', async () => {
    await bottle().shell(
      `for i in {1..50}; do echo "out $i"; done; printf 'no newline at the end'; echo "err ü" >&2; sleep 0.1; printf 'tail' >&2`,
    );
    await bottle().createBoth();
    const { exitCode, lines } = await bottle().runTurn();
    assert.equal(exitCode, 0);
    const of = (stream: LogLine['stream']): string[] =>
      lines.filter((line) => line.stream === stream).map(({ text }) => text);
    assert.deepEqual(of('stdout'), [
      ...Array.from({ length: 50 }, (_, i) => `out ${String(i + 1)}`),
      'no newline at the end',
    ]);
    assert.deepEqual(of('stderr'), ['bottle: agent starting', 'err ü', 'tail']);
    for (const { at } of lines) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  });

  it('goes on after any line without loss or duplicate, however often it is cut off', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell(`for ((i = 1; i <= ${String(COUNT)}; i++)); do echo "$i"; done`);
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const lines: LogLine[] = [];
    let seen = positionAt(null);
    let attachments = 0;
    for (let quota = 1; ; quota = (quota * 7) % 97) {
      attachments++;
      const abort = new AbortController();
      let got = 0;
      await runtime.followLogs(slug, 'agent', seen, abort.signal, (line) => {
        lines.push(line);
        seen = { ...seen, [line.stream]: line.at };
        if (++got === quota) abort.abort();
      });
      if (!abort.signal.aborted) break;
    }
    assert.ok(attachments > 20);
    const numbers = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => Number(text));
    assert.deepEqual(
      numbers,
      Array.from({ length: COUNT }, (_, i) => i + 1),
    );
  });

  it('says when it has given all that was there, and goes on behind that', async () => {
    const { runtime, slug, dir } = bottle();
    const count = `for ((i = 1; i <= ${String(COUNT)}; i++)); do echo $i; done`;
    const wait = 'touch /workspace/printed; until [[ -e /workspace/go ]]; do sleep 0.02; done';
    await bottle().shell(`${count}; ${wait}; echo last`);
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    await waitUntil('the agent to print', () => existsSync(join(dir, 'workspace/printed')));
    const seen: string[] = [];
    let before: number | undefined;
    const onCaughtUp = (): void => {
      before = seen.length;
      void writeFile(join(dir, 'workspace/go'), '');
    };
    const onLine = ({ stream, text }: LogLine): void => {
      if (stream === 'stdout') seen.push(text);
    };
    await runtime.followLogs(
      slug,
      'agent',
      positionAt(null),
      AbortSignal.timeout(20_000),
      onLine,
      onCaughtUp,
    );
    assert.equal(before, COUNT);
    assert.deepEqual(seen, [...Array.from({ length: COUNT }, (_, i) => String(i + 1)), 'last']);
  });

  it('takes the time of a clock that counts milliseconds', async () => {
    const { runtime, slug } = bottle();
    const since = positionAt(new Date().toISOString());
    await bottle().shell('echo said');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const seen: string[] = [];
    const onLine = ({ text }: LogLine): void => void seen.push(text);
    let isCaughtUp = false;
    const onCaughtUp = (): void => void (isCaughtUp = true);
    await runtime.followLogs(slug, 'agent', since, AbortSignal.timeout(20_000), onLine, onCaughtUp);
    assert.ok(isCaughtUp);
    assert.ok(seen.includes('said'), seen.join());
  });

  it('loses nothing when it is cut off while both streams are written at once', async () => {
    const { runtime, slug } = bottle();
    const count = (end: string): string =>
      `(for ((i = 1; i <= ${String(COUNT)}; i++)); do echo $i ${end}; done)`;
    await bottle().shell(`${count('')} & ${count('>&2')} & wait`);
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const seen: LogLine[] = [];
    let position = positionAt(null);
    for (let aborted = true; aborted;) {
      const abort = new AbortController();
      let got = 0;
      await runtime.followLogs(slug, 'agent', position, abort.signal, (line) => {
        assert.ok(line.at > (position[line.stream] ?? ''));
        seen.push(line);
        position = { ...position, [line.stream]: line.at };
        if (++got === 61) abort.abort();
      });
      aborted = abort.signal.aborted;
    }
    for (const stream of ['stdout', 'stderr']) {
      const numbers = seen
        .filter((line) => line.stream === stream && /^\d+$/.test(line.text))
        .map(({ text }) => Number(text));
      assert.deepEqual(
        numbers,
        Array.from({ length: COUNT }, (_, i) => i + 1),
        stream,
      );
    }
  });

  it('follows while the container runs, returns when it is aborted, and the rest comes at the next attachment', async () => {
    const { runtime, slug } = bottle();
    await bottle().shell('echo first; until [[ -e /workspace/go ]]; do sleep 0.02; done; echo second');
    await bottle().createBoth();
    await runtime.start(slug, 'agent');
    const abort = new AbortController();
    let at = '';
    await runtime.followLogs(slug, 'agent', positionAt(null), abort.signal, (line) => {
      if (line.text !== 'first') return;
      at = line.at;
      abort.abort();
    });
    assert.equal((await runtime.inspect(slug, 'agent'))?.status, 'running');
    const rest: string[] = [];
    const following = runtime.followLogs(
      slug,
      'agent',
      positionAt(at),
      AbortSignal.timeout(20_000),
      ({ stream, text }) => {
        // What the entrypoint said on stderr before may be stamped later, and so be new, on a busy machine.
        if (stream === 'stdout') rest.push(text);
      },
    );
    await writeFile(join(bottle().dir, 'workspace/go'), '');
    await following;
    assert.deepEqual(rest, ['second']);
  });

  it('gives only the lines of the present start when asked from the last line of the one before', async () => {
    await bottle().shell('echo "turn one"');
    await bottle().createBoth();
    await bottle().runTurn();
    await bottle().shell('echo "turn two"');
    const { lines } = await bottle().runTurn();
    assert.deepEqual(
      lines.map(({ text }) => text).filter((text) => text.startsWith('turn')),
      ['turn two'],
    );
  });

  it('puts a long line together, and cuts it at 64 KiB with a mark', async () => {
    await bottle().shell(`printf '%0.sa' {1..40000}; echo; printf '%0.sb' {1..150000}; echo; echo after`);
    await bottle().createBoth();
    const { lines } = await bottle().runTurn();
    const out = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
    const mark = ' [84464 more bytes of this line are not kept]';
    assert.ok(out[1]?.endsWith(mark), out[1]?.slice(-80));
    assert.deepEqual(
      out.map((text) => [text[0], text.length]),
      [
        ['a', 40000],
        ['b', 65536 + mark.length],
        ['a', 5],
      ],
    );
  });

  it('survives a flood of tiny writes', async () => {
    await bottle().turn('perl', '-e', '$| = 1; print "\\n" for 1..30000; print "end\\n"');
    await bottle().createBoth();
    const { lines } = await bottle().runTurn();
    assert.equal(lines.filter(({ stream }) => stream === 'stdout').length, 30001);
    assert.equal(lines.at(-1)?.text, 'end');
  });

  it('refuses a time that is none, and passes on what the receiver throws', async () => {
    const { runtime, slug } = bottle();
    await bottle().createBoth();
    const signal = AbortSignal.timeout(20_000);
    await assert.rejects(
      runtime.followLogs(slug, 'agent', positionAt('yesterday'), signal, () => assert.fail()),
      InvalidInputError,
    );
    await bottle().shell('echo x');
    await runtime.start(slug, 'agent');
    await runtime.waitForExit(slug, 'agent', signal);
    await assert.rejects(
      runtime.followLogs(slug, 'agent', positionAt(null), signal, () => {
        throw new Error('disk full');
      }),
      /disk full/,
    );
  });
});
