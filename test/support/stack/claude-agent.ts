import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelApi } from '../model-api/model-api.js';
import type { Stack } from './stack.js';

/** The agent `demo` is the real claude from now on, with a key that may be sent to that model. */
export async function playDemoWithClaude(
  stack: Stack,
  api: Pick<ModelApi, 'authority'>,
  { role, key }: { readonly role: string; readonly key: string },
): Promise<void> {
  await mkdir(join(stack.home, 'agents'));
  await writeFile(join(stack.home, 'agents/demo.md'), `---\nprovider: claude\n---\n\n${role}\n`);
  await stack.run(['secret', 'set', 'anthropic-api-key', '--host', api.authority], key);
}
