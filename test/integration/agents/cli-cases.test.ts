import assert from 'node:assert/strict';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { CLAUDE_CASES } from '../../support/agents/claude-cases.js';
import { leftBottles, runCase } from '../../support/agents/cli-cases.js';
import { CODEX_CASES } from '../../support/agents/codex-cases.js';

/** The others are understood from what is recorded, as long as the versions are those of then (test/unit/adapters/agents). */
const PLAYED = ['work', 'killed', 'unknown-session'];

for (const [name, cases] of [
  ['claude', CLAUDE_CASES],
  ['codex', CODEX_CASES],
] as const) {
  describe(`the real ${name}`, function () {
    this.timeout(120_000);
    after(async () => {
      assert.equal(await leftBottles(), '');
    });

    for (const one of cases.filter((each) => PLAYED.includes(each.name))) {
      it(`is understood: ${one.what}`, async () => {
        const { summary, exitCode } = await runCase(agentProvider(name), one);
        assert.deepEqual({ ...summary, ...one.expected }, summary);
        if (one.error !== undefined) assert.match(summary.error, one.error);
        assert.equal(exitCode, one.exitCode);
      });
    }
  });
}
