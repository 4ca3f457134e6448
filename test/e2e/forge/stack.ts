import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from '../../support/gitea/person.js';
import { sharedStack } from '../../support/stack/shared-stack.js';
import type { Stack } from '../../support/stack/stack.js';

/** `owner/name` of a repository that the settings name. */
export const NAMED = 'dave/named';
/** The repository that may bring agents. */
export const HOUSE = 'alice/house';

let owner: Person | undefined;

/** Whose repository the settings name. */
export function dave(): Person {
  if (owner === undefined) throw new Error('the shared stack is not furnished yet');
  return owner;
}

export const forgeStack = sharedStack(
  {
    env: {
      BOTTLE_DONE_GRACE: '2s',
      FORGE_WAKE_IGNORE: 'renovate',
      FORGE_REPOS: `alice/*,carol/*,${NAMED}`,
      FORGE_REPO_AGENTS: HOUSE,
      FORGE_REPO_BOTTLES: 'open',
    },
  },
  async (prepared) => {
    const { gitea, home } = prepared;
    // What is named must be there.
    owner = await gitea.addPerson('dave');
    await hookedRepository(prepared, owner, 'named');
    await hookedRepository(prepared, gitea.alice, 'house');
    await mkdir(join(home, 'bottles'));
    await writeFile(join(home, 'bottles/open.md'), '---\nextends: default\nforge_wake: anyone\n---\n');
  },
);

/** A repository that delivers to the stack. Resolves with `owner/name`. */
export async function hookedRepository(stack: Stack, of: Person, name: string): Promise<string> {
  const repository = await stack.gitea.addRepository(of, name);
  await stack.gitea.addWebhook(repository, stack.webhookUrl, stack.webhookSecret);
  return repository;
}
