import assert from 'node:assert/strict';
import { chmodSync, linkSync, rmSync } from 'node:fs';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { NO_USE, type ModelBudget, type ModelReport } from '../../../../src/domain/run/model-use.js';
import { CliBottle, type CliRun } from '../../../support/agents/cli-bottle.js';
import { EgressHere, routeTo } from '../../../support/egress/egress-here.js';
import { status } from '../../../support/model-api/script.js';

const MODEL = 'gpt-5.4';

/** The real CLI, whose requests go through the rules of its provider's own route. That of claude is in test/e2e/model-limits.test.ts. */
describe('codex through the credential proxy', function () {
  this.timeout(90_000);
  const provider = agentProvider('codex');
  const access = provider.access(MODEL);
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
    const modelUrl = `http://127.0.0.1:3129/${route}`;
    const run = await bottle.turn({ model: MODEL, sessionId, modelUrl });
    await egress.stop();
    return run;
  }
  const report = (): ModelReport | null | undefined => egress.reports.at(-1)?.model;

  it('ends by itself when the budget is used up', async () => {
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

  it('is limited until the time that its provider says', async () => {
    const reset = Math.floor(Date.now() / 1000) + 7200;
    const limit = status(429, { error: { type: 'usage_limit_reached', message: 'limit', resets_at: reset } });
    bottle.api.script(...Array.from({ length: 8 }, () => ({ reply: limit })));
    const { exitCode } = await turn();
    assert.notEqual(exitCode, 0);
    const trouble = report()?.trouble;
    assert.ok(trouble?.kind === 'limited', JSON.stringify(trouble));
    assert.ok(Math.abs(trouble.until - reset * 1000) <= 60_000);
  });
});
