import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { pumpedLog } from './support/pumped-log.js';
import { MIB, withBottles } from './support/test-bottle.js';

const FLOOD = 300 * MIB;
const KEPT = 4 * MIB;
/** Two files of 64 MB, and what the engine writes before it looks at the size. */
const ENGINE_MOST = 2 * 64e6 + 4 * MIB;

describe('docker: an agent that floods its log', function () {
  this.timeout(120_000);
  const bottle = withBottles();

  it('fills neither the run’s directory, nor the engine’s, nor the worker’s memory, and the log says what is missing', async () => {
    const { runtime, slug, docker } = bottle();
    await bottle().createBoth();
    // Lines of 8 KiB, some of them binary, and one of 1 MiB.
    await bottle().shell(
      `perl -e '$l = ("x" x 8190) . "\\n"; print "first\\n", "y" x ${String(MIB)}, "\\n\\0\\xff\\e[2J\\n"; print $l for 1..${String(FLOOD / 8192)}'`,
    );
    const { file, pump } = await pumpedLog(bottle(), { maxLogBytes: KEPT });
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
    const before = process.memoryUsage().rss;
    try {
      await runtime.start(slug, 'agent');
      await pump();
    } finally {
      clearInterval(watch);
    }
    assert.ok(most - before < 200 * MIB, `${String(Math.round((most - before) / MIB))} MiB more memory`);

    const log = await readFile(file, 'utf8');
    assert.ok(Buffer.byteLength(log) < KEPT + 300);
    // What the entrypoint says on the other stream may stand before or behind the first of these.
    const [first = '', long = '', binary = ''] = log.split('\n').filter((line) => line.includes(' stdout '));
    assert.match(first, / stdout first$/);
    assert.match(long, / \[\d+ more bytes of this line are not kept\]$/);
    assert.ok(long.length < 66 * 1024);
    assert.ok(binary.includes('\0\u{fffd}\u{1b}[2J'));
    const [, lines, bytes] =
      /^- host at least (\d+) lines \((\d+) bytes\) of this turn are not kept$/m.exec(log) ?? [];
    assert.match(log, /^- host lines of this turn may be missing: /m);
    // The engine itself drops what its reader does not take before its files go round.
    assert.ok(
      Number(lines) > 1000 && Number(bytes) > 10 * MIB,
      `${String(lines)} lines, ${String(bytes)} bytes`,
    );

    const { LogPath } = await docker.getContainer(`bb-${slug}-agent`).inspect();
    if (process.getuid?.() !== 0) return;
    const { stdout } = await promisify(execFile)('sh', ['-c', 'du -cb "$1"* | tail -n 1', 'sh', LogPath]);
    assert.ok(Number.parseInt(stdout) < ENGINE_MOST, stdout);
  });
});
