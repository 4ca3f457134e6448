import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { opencode } from '../../../src/adapters/agents/opencode.js';
import { pi } from '../../../src/adapters/agents/pi.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { HardenedCli, type TurnEnd } from '../../support/agents/hardened-cli.js';
import { say, status, use } from '../../support/model-api/script.js';

const HOME = '/home/agent';

for (const { provider, tool } of [
  { provider: pi, tool: (name: string) => name },
  { provider: opencode, tool: (name: string) => `bottle_${name}` },
])
  describe(`the real ${provider.name} in its bottle`, function () {
    this.timeout(180_000);
    let bottle: HardenedCli;

    before(async function () {
      if ((await dockerBottleRuntime().imageId(provider.image)) !== undefined) return;
      process.stdout.write(`    no image ${provider.image}: script/images agent-${provider.name}\n`);
      this.skip();
    });
    beforeEach(async () => {
      bottle = new HardenedCli(provider, 'claude-sonnet-4-5');
      await bottle.start();
    });
    afterEach(() => bottle.remove());

    const first = (prompt: string): Promise<TurnEnd> =>
      bottle.turn(prompt, { sessionId: provider.newSessionId('run-1/1') });

    it('works with the files and the sidecar, and has all that was said in the session paths and nowhere else', async () => {
      bottle.model.script(
        {
          expect: ({ text, headers, body }) => {
            assert.match(text, /PROMPT-ONE/);
            assert.equal(headers['x-api-key'], 'placeholder');
            assert.ok(Number(body['max_tokens']) <= 64_000);
          },
          reply: use('bash', { command: 'echo made >file; rg --version', description: 'Make a file' }),
        },
        { reply: use(tool('read_issue'), { number: 12 }) },
        { expect: ({ text }) => assert.match(text, /untrusted/), reply: say('Done with the first.') },
      );
      const one = await first('PROMPT-ONE');
      assert.equal(one.summary.outcome, 'finished', JSON.stringify(one));
      assert.equal(one.summary.toolCalls, 2);
      assert.equal(await bottle.inside('cat /workspace/file'), 'made');
      const { sessionId } = one.summary;
      assert.ok(sessionId !== null && provider.isSessionId(sessionId));

      await keepOnly(bottle, provider.sessionPaths);
      bottle.model.script({
        expect: ({ text }) => assert.match(text, /PROMPT-ONE[^]*Done with the first\.[^]*PROMPT-TWO/),
        reply: say('Done with the second.'),
      });
      const two = await bottle.turn('PROMPT-TWO', { sessionId, resume: true });
      assert.equal(two.summary.outcome, 'finished', JSON.stringify(two));
      assert.equal(two.summary.sessionId, sessionId);
      await keepOnly(bottle, []);
      const lost = await bottle.turn('PROMPT-THREE', { sessionId, resume: true });
      assert.equal(lost.summary.outcome, 'unknown_session', JSON.stringify(lost));
      bottle.model.check();
      // Nothing but the scripted answers was asked for: no title, no update, no list of models.
      assert.deepEqual(
        bottle.model.requests.map(({ path }) => path),
        Array.from({ length: 4 }, () => '/v1/messages'),
      );
    });

    it('tells that the model refused, and goes on in that session later', async () => {
      const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
      bottle.model.script({ reply: status(401, body) });
      const refused = await first('PROMPT-ONE');
      assert.equal(refused.summary.outcome, 'provider', JSON.stringify(refused));
      assert.match(refused.summary.error, /invalid x-api-key/);
      const { sessionId } = refused.summary;
      bottle.model.script({
        expect: ({ text }) => assert.match(text, /PROMPT-ONE[^]*PROMPT-TWO/),
        reply: say('Now it works.'),
      });
      const later = await bottle.turn('PROMPT-TWO', { sessionId, resume: true });
      assert.equal(later.summary.outcome, 'finished', JSON.stringify(later));
      assert.equal(later.summary.sessionId, sessionId);
      bottle.model.check();
    });

    it("runs nothing of a repository's own configuration", async () => {
      await bottle.inside(`cd /workspace
        mkdir -p .pi/extensions .opencode/plugin
        echo 'export default () => { require("fs").writeFileSync("/workspace/ran", "pi") }' >.pi/extensions/x.js
        echo 'export const P = async () => { await Bun.write("/workspace/ran", "opencode"); return {} }' >.opencode/plugin/x.js
        echo '{"provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:9/v1"}}}}' >opencode.json
        echo 'Say RULE-OF-THE-HOUSE.' >AGENTS.md`);
      bottle.model.script({
        expect: ({ text }) => assert.match(text, /RULE-OF-THE-HOUSE/),
        reply: say('OK'),
      });
      const end = await first('PROMPT-ONE');
      assert.equal(end.summary.outcome, 'finished', JSON.stringify(end));
      bottle.model.check();
      assert.equal(existsSync(join(bottle.workspace, 'ran')), false);
    });
  });

/** As after a snapshot of these paths was brought back into a home that was made anew. */
async function keepOnly(bottle: HardenedCli, paths: readonly string[]): Promise<void> {
  const kept = paths.map((path) => relative(HOME, path)).join(' ');
  await bottle.inside(`cd ${HOME}
    tar -cf /tmp/kept --files-from /dev/null ${kept}
    find . -mindepth 1 -delete
    tar -xpf /tmp/kept`);
}
