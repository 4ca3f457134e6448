import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'mocha';
import { bridgeAddress } from '../../support/model-api/bridge-address.js';
import { ModelApi } from '../../support/model-api/model-api.js';
import { PATIENCE } from '../../support/scale/patience.js';
import { playDemoWithClaude } from '../../support/stack/claude-agent.js';
import { sharedStack } from '../../support/stack/shared-stack.js';

export const KEY = `canary-${randomBytes(16).toString('hex')}`;
export const BUDGET = 100_000;
export const DAY_BUDGET = 10 * BUDGET;
/** Longer than a look at the dashboard and the build of an image take. */
const HOLD_S = 30 * PATIENCE;

interface Around {
  /** What the real Claude Code asks. */
  readonly api: ModelApi;
  /** Where the command that tells people writes, as `told`. */
  readonly hook: string;
}

let around: Around | undefined;

/** The agent `demo` is the real Claude Code. */
export const claudeStack = sharedStack(
  async () => {
    const api = await ModelApi.start({ address: await bridgeAddress() });
    const hook = await mkdtemp(join(tmpdir(), 'bot-bottle-hook-'));
    around = { api, hook };
    const tell = join(hook, 'tell');
    await writeFile(tell, '#!/bin/sh\n{ cat; echo; } >> "$(dirname "$0")/told"\n', { mode: 0o755 });
    return {
      env: {
        MODEL_ANTHROPIC_URL: api.url,
        SUPERVISE_HOLD: `${String(HOLD_S)}s`,
        NOTIFY_COMMAND: tell,
        BOTTLE_BUDGET_TOKENS: String(BUDGET),
        BOTTLE_DAY_BUDGET_TOKENS: String(DAY_BUDGET),
      },
    };
  },
  (prepared) => playDemoWithClaude(prepared, aroundClaude().api, { role: 'You read notes.', key: KEY }),
);
after(async () => {
  await around?.api.close();
  if (around !== undefined) await rm(around.hook, { recursive: true });
});

/** What the stack is used with; the model has forgotten what another suite told it. */
export function aroundClaude(): Around {
  assert.ok(around !== undefined, 'the stack is not up yet');
  around.api.reset();
  return around;
}

/** A file of the one bottle that is not among the earlier ones, as it is in the bottle now, with its hash. */
export function configNow(
  home: string,
  earlier: readonly string[],
  file: string,
): { readonly text: string; readonly hash: string } {
  const slug = readdirSync(join(home, 'state')).find((one) => !earlier.includes(one)) ?? '';
  const text = readFileSync(join(home, 'state', slug, 'config', file), 'utf8');
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
