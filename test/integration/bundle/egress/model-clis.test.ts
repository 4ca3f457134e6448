import assert from 'node:assert/strict';
import { chmodSync, linkSync, rmSync } from 'node:fs';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { NO_USE, type ModelBudget, type ModelReport } from '../../../../src/domain/run/model-use.js';
import { CliBottle, type CliRun } from '../../../support/agents/cli-bottle.js';
import { EgressHere, routeTo } from '../../../support/egress/egress-here.js';
import { say, status } from '../../../support/model-api/script.js';

const USAGE = { input: 100, cacheRead: 1000, cacheWrite: 50, output: 20 };

/** The real CLIs, whose requests go through the rules of their provider's own route. */
for (const [name, model] of [
  ['claude', 'claude-sonnet-5'],
  ['codex', 'gpt-5.4'],
] as const)
  describe(`${name} through the credential proxy`, () => {
    const provider = agentProvider(name);
    const access = provider.access(model);
    let bottle: CliBottle;
    let egress: EgressHere;
    beforeEach(async () => {
      bottle = await CliBottle.open(provider);
      egress = new EgressHere();
    });
    afterEach(async () => {
      await bottle.close();
      await egress.remove();
    });

    async function turn(budget?: ModelBudget): Promise<CliRun> {
      assert.ok(access !== null);
      const { route, methods, paths, rule } = access;
      egress.routes(routeTo(bottle.api.url, { name: route, methods, paths, model: rule }));
      await egress.start(budget === undefined ? {} : { budget });
      rmSync(bottle.modelSocket);
      linkSync(egress.credentials, bottle.modelSocket);
      chmodSync(bottle.modelSocket, 0o666);
      const sessionId = provider.newSessionId('a');
      const run = await bottle.turn({ model, sessionId, modelUrl: `http://127.0.0.1:3129/${route}` });
      await egress.stop();
      return run;
    }
    const report = (): ModelReport | null | undefined => egress.reports.at(-1)?.model;

    it('is let through as it asks by itself, and metered', async function () {
      this.timeout(90_000);
      bottle.api.script({ reply: say('All done.', { usage: USAGE }) });
      const { exitCode, summary, lines } = await turn();
      bottle.api.check();
      assert.equal(exitCode, 0, JSON.stringify(lines));
      assert.equal(summary.outcome, 'finished');
      const refused = egress.logged.filter(({ fields }) => fields['verdict'] === 'refused');
      assert.deepEqual(refused, []);
      const known = report();
      assert.ok(known !== null && known !== undefined);
      assert.equal(known.trouble, null);
      // Small questions beside the turn are counted, too.
      assert.ok(known.use.requests >= 1 && known.use.failed === 0);
      assert.ok(known.use.cacheReadTokens >= 1000 && known.use.outputTokens >= 20, JSON.stringify(known));
      assert.ok(known.use.microUsd > 0);
    });

    it('ends by itself when the budget is used up', async function () {
      this.timeout(90_000);
      const began = Date.now();
      const { exitCode, lines } = await turn({ tokens: 0, microUsd: null });
      const seconds = (Date.now() - began) / 1000;
      assert.notEqual(exitCode, 0);
      assert.match(JSON.stringify(lines), /budget of tokens is used up/);
      assert.deepEqual(bottle.api.requests, []);
      assert.deepEqual(report(), { use: NO_USE, trouble: { kind: 'over_budget', what: 'tokens' } });
      const asked = egress.logged.filter(({ message }) => message === 'egress');
      assert.ok(asked.length <= 3, `${String(asked.length)} requests in ${String(seconds)} s`);
    });

    it('is limited until the time that its provider says', async function () {
      this.timeout(90_000);
      const reset = Math.floor(Date.now() / 1000) + 7200;
      const limit =
        name === 'claude'
          ? status(
              429,
              { type: 'error', error: { type: 'rate_limit_error', message: 'limit' } },
              {
                'anthropic-ratelimit-unified-status': 'rejected',
                'anthropic-ratelimit-unified-reset': String(reset),
                'retry-after': '7200',
              },
            )
          : status(429, { error: { type: 'usage_limit_reached', message: 'limit', resets_at: reset } });
      bottle.api.script(...Array.from({ length: 8 }, () => ({ reply: limit })));
      const { exitCode } = await turn();
      assert.notEqual(exitCode, 0);
      const trouble = report()?.trouble;
      assert.ok(trouble?.kind === 'limited', JSON.stringify(trouble));
      assert.ok(Math.abs(trouble.until - reset * 1000) <= 60_000);
    });
  });
