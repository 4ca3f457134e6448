'use strict';
/*
 * The dot reporter, which also leaves its result where script/test finds it (BOT_BOTTLE_COUNTS): a line with the counts,
 * then what failed, in short, to be repeated where the output of all suites ends. Beside it, in <file>.files, stand the
 * files with a test that failed, one a line, and in <file>.times every file after the seconds it took, hooks included.
 */
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters, Runner } = require('mocha');

/** What has ended by then but for a handle that a test left open, as after a hook that failed, is ended. */
const EXIT_MS = 60_000;
/** Of one failure, at its start and at its end. */
const MAX_CHARACTERS = 1500;

class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    // Listens after Dot's own listeners, so the numbers are complete. A run that dies leaves no file.
    const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END } = Runner.constants;
    const times = new Map();
    const add = ({ file, duration = 0 }) => times.set(file, (times.get(file) ?? 0) + duration);
    runner.on(EVENT_TEST_END, add).on(EVENT_HOOK_END, add);
    runner.once(EVENT_RUN_END, () => {
      setTimeout(endTheRun, EXIT_MS).unref();
      const { passes, failures, pending } = this.stats;
      const file = process.env.BOT_BOTTLE_COUNTS;
      if (file) {
        const files = [...new Set(this.failures.map((test) => test.file ?? ''))];
        writeFileSync(`${file}.files`, files.map((name) => `${name}\n`).join(''));
        writeFileSync(`${file}.times`, [...times].map(timeOf).join(''));
        writeFileSync(
          file,
          [`${passes} ${failures} ${pending}`, ...this.failures.map(inShort), ''].join('\n'),
        );
      }
    });
  }
}

function endTheRun() {
  process.stderr.write(`a test left a handle open: ended ${EXIT_MS / 1000} s after the last test\n`);
  // After mocha's own listener, which counts failures only.
  process.once('exit', () => (process.exitCode ||= 1));
  process.exit();
}

function timeOf([file = 'hooks of the whole run', milliseconds]) {
  return `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), file)}\n`;
}

function inShort(test) {
  const { message, stack } = test.err ?? {};
  const text = shortened(message ?? stack ?? 'no error');
  return [test.titlePath().join(' > '), ...text.split('\n').map((line) => `    ${line}`)].join('\n');
}

function shortened(text) {
  if (text.length <= 2 * MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS)}\n[…]\n${text.slice(-MAX_CHARACTERS)}`;
}

module.exports = CountingReporter;
