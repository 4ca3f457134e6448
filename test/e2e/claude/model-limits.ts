import assert from 'node:assert/strict';
import type { ModelApi } from '../../support/model-api/model-api.js';
import type { ModelRequest } from '../../support/model-api/model-request.js';
import { say, status, use, type Step } from '../../support/model-api/script.js';
import type { Life } from '../../support/stack/life.js';
import { aroundClaude, BUDGET, claudeStack, DAY_BUDGET } from './stack.js';

/** The real Claude Code and a model that is limited or too dear. */
describe('what ends a turn of a real agent early', function () {
  this.timeout(240_000);
  let api: ModelApi;
  const { stack, open } = claudeStack();

  before(() => {
    ({ api } = aroundClaude());
  });

  const trigger = (title: string): Promise<Life> => open(title, `The text of ${title}.`);
  const done = (summary: string, expect: (request: ModelRequest) => void = () => undefined): Step[] => [
    { expect, reply: use('mcp__bottle__signal_done', { status: 'success', summary }) },
    { reply: say('Done.') },
  ];
  const has =
    (...patterns: readonly RegExp[]) =>
    ({ text }: ModelRequest): void => {
      for (const pattern of patterns) assert.match(text, pattern);
    };

  it('a usage limit: the run sleeps to its end, and resumed before it goes on in the same session', async () => {
    const reset = Math.floor(Date.now() / 1000) + 7200;
    const limit = status(
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'limit' } },
      {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(reset),
        'retry-after': '7200',
      },
    );
    api.script(...Array.from({ length: 8 }, () => ({ reply: limit })));
    const life = await trigger('limited');
    const limited = await life.frozen(1, 'limited');
    assert.ok(Math.abs((limited.resumeAt ?? 0) - reset * 1000) <= 60_000, String(limited.resumeAt));
    api.reset();
    api.script(...done('went on', has(/The text of limited/)));
    await stack().run(['signal', limited.slug, 'resume', '--prompt', 'Try again.']);
    const resumed = await life.frozen(2, 'done');
    api.check();
    assert.deepEqual([resumed.sessionId, resumed.resumeAt], [limited.sessionId, null]);
    await life.close();
  });

  it('a budget: the proxy refuses the model, the turn ends, and the operator’s word begins another', async () => {
    const dear = { usage: { input: 2 * BUDGET } };
    api.script({ reply: use('Bash', { command: 'true', description: 'Look' }, dear) });
    const life = await trigger('too dear');
    const over = await life.frozen(1, 'budget');
    api.check();
    assert.ok(over.spent.tokens >= 2 * BUDGET);
    const [, row] = await life.files.turnRows(over.slug);
    assert.equal(row?.detail['stopped'], 'budget');
    assert.equal(row.detail['exitCode'], 1, 'it was not waited for until it had to be stopped');
    assert.match(await life.files.agentLog(over.slug, 1), /budget of tokens is used up/);
    const refused = await stack().cli(['signal', over.slug, 'resume']);
    assert.match(refused.stderr, /budget is used up: 200010 of 100000 tokens/);
    api.script(...done('with more', has(/The text of too dear/)));
    await stack().run(['signal', over.slug, 'budget', '--tokens', String(3 * BUDGET)]);
    const went = await life.frozen(2, 'done');
    api.check();
    assert.equal(went.sessionId, over.sessionId);
    await life.close();
  });

  it('the budget of the day: another run waits for tomorrow, or for the operator’s word', async () => {
    const all = { usage: { input: DAY_BUDGET } };
    api.script({ reply: use('Bash', { command: 'true', description: 'Look' }, all) });
    const spender = await trigger('spends all');
    await spender.frozen(1, 'budget');
    await spender.reactedWith('confused');
    api.check();
    const asked = api.requests.length;
    const life = await trigger('poor');
    const poor = await life.frozen(1, 'budget');
    assert.match(poor.detail ?? '', /the day's budget of all runs is used up/);
    assert.ok(poor.resumeAt !== null && poor.resumeAt % 86_400_000 === 0, String(poor.resumeAt));
    assert.equal(api.requests.length, asked);
    api.script(...done('today after all', has(/The text of poor/)));
    await stack().run(['signal', poor.slug, 'budget', '--today']);
    await life.frozen(2, 'done');
    api.check();
    await Promise.all([life.close(), spender.close()]);
  });
});
