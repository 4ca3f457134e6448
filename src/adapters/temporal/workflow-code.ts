import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** This program's workflows as one script: built with the product, or made now when it runs from its sources. */
export async function workflowCode(): Promise<string> {
  const built = fileURLToPath(new URL('../../workflows/bundle.js', import.meta.url));
  if (existsSync(built)) return readFile(built, 'utf8');
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const workflowsPath = fileURLToPath(new URL(`../../workflows/all-workflows${extension}`, import.meta.url));
  return (await bundleWorkflowCode({ workflowsPath })).code;
}
