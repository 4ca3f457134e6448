'use strict';
/* The dot reporter, which also leaves its counts where script/test finds them (BOT_BOTTLE_COUNTS). */
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    // Listens after Dot's own listeners, so the numbers are complete. A run that dies leaves no file.
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const file = process.env.BOT_BOTTLE_COUNTS;
      if (file) writeFileSync(file, `${passes} ${failures} ${pending}\n`);
    });
  }
}

module.exports = CountingReporter;
