import assert from 'node:assert/strict';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import type { AgentProvider } from '../../../src/domain/agent/agent-provider.js';
import { CliBottle } from '../../support/agents/cli-bottle.js';
import { leftBottles, SESSION } from '../../support/agents/cli-cases.js';
import { say, use, type Answer } from '../../support/model-api/script.js';

/** The answer that has a command of the model's run. */
const RUN: Readonly<Record<string, (command: string) => Answer>> = {
  claude: (command) => use('Bash', { command, description: 'Run' }),
  codex: (command) => use('exec', `await tools.exec_command({ cmd: ${JSON.stringify(command)} });`),
};

for (const name of ['claude', 'codex']) {
  describe(`a session of the real ${name}`, function () {
    this.timeout(120_000);
    const provider: AgentProvider = agentProvider(name);
    const run = RUN[name] ?? assert.fail();
    const chosen = provider.newSessionId('any') === null ? null : SESSION;
    let bottle: CliBottle;

    beforeEach(async () => {
      bottle = await CliBottle.open(provider);
    });
    afterEach(() => bottle.close());
    after(async () => {
      assert.equal(await leftBottles(), '');
    });

    async function firstTurn(killAt?: string): Promise<string> {
      const { summary } = await bottle.turn({
        sessionId: chosen,
        prompt: 'Remember the walrus.',
        ...(killAt === undefined ? {} : { killAt }),
      });
      assert.ok(summary.sessionId !== null && provider.isSessionId(summary.sessionId));
      return summary.sessionId;
    }

    /** Goes on, and asserts that the model is told of what was before. */
    async function goesOn(sessionId: string, ...known: readonly RegExp[]): Promise<void> {
      bottle.api.script({
        expect: ({ text }) => {
          for (const pattern of [/Remember the walrus/, ...known, /And the carpenter/])
            assert.match(text, pattern);
        },
        reply: say('I remember.'),
      });
      const { summary, lines } = await bottle.turn({ sessionId, resume: true, prompt: 'And the carpenter?' });
      bottle.api.check();
      assert.equal(summary.outcome, 'finished', JSON.stringify(lines));
      assert.equal(summary.sessionId, sessionId);
    }

    it('goes on with the same id when all that is left of the home is what its provider names, and says which figures are of the turn and which of the session', async () => {
      bottle.api.script({ reply: run('echo hello') }, { reply: say('First answer.') });
      const id = await firstTurn();
      await bottle.loseHomeButSession();
      await goesOn(id, /echo hello/, /First answer/);
      bottle.api.script({ reply: say('Third.') });
      const { summary } = await bottle.turn({ sessionId: id, resume: true });
      const { use: figures, tokensOf, costOf } = summary.reported ?? assert.fail();
      // Each answer of the stub has 100 tokens of input and 10 of output.
      const answers = tokensOf === 'turn' ? 1 : 4;
      assert.deepEqual([figures.inputTokens, figures.outputTokens], [answers * 100, answers * 10]);
      if (figures.usd !== null) {
        assert.equal(costOf, 'session');
        const alone = await bottle.turn({ sessionId: id, resume: true });
        assert.ok((alone.summary.reported?.use.usd ?? 0) >= figures.usd, 'a turn that failed costs nothing');
      }
    });

    it('goes on after a kill in the middle of a tool, and the home lost', async () => {
      bottle.api.script({ reply: run('echo begun; sleep 30') });
      const id = await firstTurn('echo begun');
      await bottle.loseHomeButSession();
      await goesOn(id, /echo begun; sleep 30/);
    });

    it('is not there when nothing of the home is left', async () => {
      const { summary } = await bottle.turn({
        sessionId: '019ad2b8-d5d8-7000-8000-000000000000',
        resume: true,
      });
      assert.equal(summary.outcome, 'unknown_session');
      assert.deepEqual(bottle.api.requests, []);
    });
  });
}
