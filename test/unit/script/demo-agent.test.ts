import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeRealAgent } from '../../../script/lib/demo/agent-choice.js';
import { CliTurns } from '../../../script/lib/demo/cli-turns.js';
import { Feed } from '../../../script/lib/demo/feed.js';
import type { RunWatch } from '../../../script/lib/demo/run-watch.js';
import { nothingTold, Stage, type StoryParts } from '../../../script/lib/demo/stage.js';
import { DemoError } from '../../../script/lib/demo/wait.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const FROZEN = { phase: 'frozen', reason: 'incomplete', detail: 'it failed', slug: 's', turn: 1 };

describe('a demo with a real CLI', () => {
  const path = useTempDir();

  /** Why the story ends when the run is frozen after such an output. */
  async function ending(home: string, output: string): Promise<string> {
    const turn = join(home, 'state/s/turns/1');
    mkdirSync(turn, { recursive: true });
    const lines = output.trimEnd().split('\n');
    const log = lines.map((line) => `2026-11-23T10:00:00.000Z stdout ${line}\n`).join('');
    writeFileSync(join(turn, 'agent.log'), log);
    const feed = new Feed({ out: { write: () => true }, env: {}, startedAt: 0 });
    const facts = { home, giteaUrl: 'http://127.0.0.1:1', repo: 'alice/demo', alice: {} };
    const parts = { facts, feed, wait: { signal: new AbortController().signal } };
    const stage = new Stage(parts as unknown as StoryParts, nothingTold());
    const turns = new CliTurns(stage, agentProvider('claude'));
    try {
      await turns.first({ view: FROZEN } as unknown as RunWatch);
    } catch (error) {
      assert.ok(error instanceof DemoError, String(error));
      return error.message;
    } finally {
      feed.close();
    }
    return assert.fail('the story goes on');
  }

  it('says why it ends, with what the agent said went wrong', async () => {
    const refused = readFileSync('test/fixtures/agents/claude/refused.jsonl', 'utf8');
    assert.match(
      await ending(path('refused'), refused),
      /^frozen as incomplete: it failed; the agent said: Failed to authenticate\. API Error: 403 /,
    );
    assert.equal(await ending(path('silent'), ''), 'frozen as incomplete: it failed');
  });

  it('takes the first key that there is out of the environment, with every other one of that model', () => {
    for (const [env, secret] of [
      [{ ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'x' }, 'claude-code-oauth-token'],
      [{ ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_OAUTH_TOKEN: 'y' }, 'anthropic-api-key'],
    ] as const) {
      const given: Record<string, string | undefined> = { ...env, MODEL_ANTHROPIC_URL: 'http://127.0.0.1:2' };
      const { key } = takeRealAgent('claude', given).setup;
      assert.deepEqual(key, { secret, value: 'x', host: '127.0.0.1:2' });
      assert.deepEqual(Object.keys(given), ['MODEL_ANTHROPIC_URL']);
    }
    assert.throws(() => takeRealAgent('codex', {}), DemoError);
  });
});
