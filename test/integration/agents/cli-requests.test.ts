import assert from 'node:assert/strict';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { checkRequest } from '../../../src/bundle/egress/model/request-rules.js';
import { PLACEHOLDER_KEY } from '../../../src/domain/egress/route.js';
import { CliBottle, type CliTurn } from '../../support/agents/cli-bottle.js';
import { SESSION } from '../../support/agents/cli-cases.js';
import { PLAIN_MODEL } from '../../support/agents/codex-cases.js';
import type { ModelRequest } from '../../support/model-api/model-request.js';
import { ISSUE_TEXT } from '../../support/agents/forge-stub.js';
import { say, use, type Answer } from '../../support/model-api/script.js';

/** The requests of a turn in which the model has nothing to do. */
async function requestsOf(name: string, turn: CliTurn): Promise<readonly ModelRequest[]> {
  const provider = agentProvider(name);
  const bottle = await CliBottle.open(provider);
  try {
    bottle.api.script({ reply: say('Nothing to do.') });
    const sessionId = provider.newSessionId('any') === null ? null : SESSION;
    const { summary } = await bottle.turn({ sessionId, ...turn });
    assert.equal(summary.outcome, 'finished', summary.error);
    bottle.api.check();
    return bottle.api.requests;
  } finally {
    await bottle.close();
  }
}

async function requestOf(name: string, turn: CliTurn): Promise<ModelRequest> {
  const requests = await requestsOf(name, turn);
  const [request] = requests;
  assert.ok(request !== undefined && requests.length === 1, 'nothing else is asked for');
  const access = agentProvider(name).access(turn.model ?? null) ?? assert.fail();
  assert.ok(access.methods.includes(request.method) && access.paths.includes(request.path));
  const judged = checkRequest(request.body, access.rule);
  assert.equal(judged.kind, 'allowed', JSON.stringify(judged));
  return request;
}

describe('what the real CLIs ask of their models', function () {
  this.timeout(60_000);

  it('is of claude: the model and effort of the manifest, with the key’s placeholder', async () => {
    const { body, model, headers } = await requestOf('claude', {
      model: 'claude-sonnet-5-5',
      variant: 'high',
    });
    assert.equal(model, 'claude-sonnet-5-5');
    assert.deepEqual(body['output_config'], { effort: 'high' });
    assert.deepEqual([headers['x-api-key'], headers.authorization], [PLACEHOLDER_KEY, undefined]);
    const { rule } = agentProvider('claude').access(null) ?? assert.fail();
    assert.ok(
      Number(body['max_tokens']) <= rule.maxOutputTokens,
      'no more output than the route lets through',
    );
  });

  it('is of claude with the token of a subscription: the header that such a token needs', async () => {
    const { headers } = await requestOf('claude', { secret: 'claude-code-oauth-token' });
    assert.deepEqual([headers['x-api-key'], headers.authorization], [undefined, `Bearer ${PLACEHOLDER_KEY}`]);
    assert.match(String(headers['anthropic-beta']), /\boauth-\d{4}-\d{2}-\d{2}\b/);
  });

  it('is of claude: the tools of the sidecar at once, and none that makes no sense here', async () => {
    const { tools } = await requestOf('claude', {});
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('mcp__bottle__read_issue') && names.includes('Bash'), names.join(' '));
    for (const tool of ['cred-proxy-block', 'pipelock-block'])
      assert.ok(names.includes(`mcp__supervise__${tool}`), names.join(' '));
    for (const odd of ['WebSearch', 'CronCreate', 'ScheduleWakeup', 'EnterWorktree'])
      assert.ok(!names.includes(odd), odd);
  });

  it('is of codex: the model and effort of the manifest, with the key’s placeholder', async () => {
    const { body, model, headers } = await requestOf('codex', { model: PLAIN_MODEL, variant: 'xhigh' });
    assert.equal(model, PLAIN_MODEL);
    assert.deepEqual(body['reasoning'], { effort: 'xhigh' });
    assert.equal(headers.authorization, `Bearer ${PLACEHOLDER_KEY}`);
  });

  it('is of codex: tools of its own, nothing that the provider would do, nothing that it would keep', async () => {
    const { body, text, tools } = await requestOf('codex', {});
    assert.ok(tools.some(({ name }) => name === 'exec'));
    assert.match(text, /tools\.mcp__bottle__signal_done/, 'it is told how the forge is asked');
    assert.equal(body['store'], false);
    assert.doesNotMatch(text, /"type":"web_search/);
  });

  const READ_ISSUE: Readonly<Record<string, Answer>> = {
    claude: use('mcp__bottle__read_issue', {}),
    codex: use('exec', 'text(JSON.stringify(await tools.mcp__bottle__read_issue({})));'),
    pi: use('read_issue', {}),
    opencode: use('bottle_read_issue', {}),
  };

  for (const [name, reply] of Object.entries(READ_ISSUE))
    it(`is of ${name}: the forge’s tools from the first request on, however slow the sidecar is to start`, async function () {
      const provider = agentProvider(name);
      // Those whose packages cannot be had for every machine.
      const isOptional = name === 'pi' || name === 'opencode';
      if (isOptional && (await dockerBottleRuntime().imageId(provider.image)) === undefined) this.skip();
      const bottle = await CliBottle.open(provider, 4_000);
      try {
        bottle.api.script({ reply }, { reply: say('Done.') });
        const sessionId = provider.newSessionId('any') === null ? null : SESSION;
        await bottle.turn({ sessionId });
        bottle.api.check();
        assert.ok(
          bottle.api.turns.at(-1)?.text.includes(ISSUE_TEXT),
          bottle.api.turns.at(-1)?.text.slice(-500),
        );
      } finally {
        await bottle.close();
      }
    });
});
