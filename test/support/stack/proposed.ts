import assert from 'node:assert/strict';
import { StackFiles } from './stack-files.js';
import { waitUntil, type Stack } from './stack.js';

/** As `proposals list --json` shows it. */
export interface ListedProposal {
  readonly id: string;
  readonly tool: string;
  readonly changes: readonly string[];
}

/** Waits for a proposal that fits. The command is asked only when one waits at all, since each call is a process. */
export async function proposed(
  stack: Stack,
  what: string,
  fits: (one: ListedProposal) => boolean,
): Promise<ListedProposal> {
  const files = new StackFiles(stack.home);
  let found: ListedProposal | undefined;
  await waitUntil(`a proposal ${what}`, async () => {
    if ((await files.openProposals()).length === 0) return false;
    const stdout = await stack.run(['proposals', 'list', '--json']);
    const { proposals } = JSON.parse(stdout) as { readonly proposals: readonly ListedProposal[] };
    found = proposals.find(fits);
    return found !== undefined;
  });
  assert.ok(found !== undefined);
  return found;
}
