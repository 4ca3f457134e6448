'use strict';
/*
 * The dot reporter, which also leaves its result where script/test finds it (BOT_BOTTLE_COUNTS): a line with the counts,
 * then what failed, in short, to be repeated where the output of all suites ends. Beside it, in <file>.files, stand the
 * files with a test that failed, one a line.
 */
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Of one failure. */
const MAX_CHARACTERS = 1500;

class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    // Listens after Dot's own listeners, so the numbers are complete. A run that dies leaves no file.
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const file = process.env.BOT_BOTTLE_COUNTS;
      if (file) {
        const files = [...new Set(this.failures.map((test) => test.file ?? ''))];
        writeFileSync(`${file}.files`, files.map((name) => `${name}\n`).join(''));
        writeFileSync(
          file,
          [`${passes} ${failures} ${pending}`, ...this.failures.map(inShort), ''].join('\n'),
        );
      }
    });
  }
}

function inShort(test) {
  const { message, stack } = test.err ?? {};
  const text = (message ?? stack ?? 'no error').slice(0, MAX_CHARACTERS);
  return [test.titlePath().join(' > '), ...text.split('\n').map((line) => `    ${line}`)].join('\n');
}

module.exports = CountingReporter;
