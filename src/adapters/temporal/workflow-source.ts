import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Runtime, type Logger } from '@temporalio/worker';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/', import.meta.url));
const EXTENSION = path.extname(import.meta.url);

/** Where the prebuilt bundle is; one that encrypts failures differs by its converter. */
export function bundleFile(encrypts: boolean): string {
  return path.join(WORKFLOWS, encrypts ? 'bundle-encrypting.js' : 'bundle.js');
}

/** Bundles the workflows as they are here. */
export async function bundleWorkflows(
  encrypts: boolean,
  logger?: Logger,
): Promise<{ readonly code: string }> {
  return bundleWorkflowCode({
    ...(logger === undefined ? {} : { logger }),
    workflowsPath: path.join(WORKFLOWS, `all-workflows${EXTENSION}`),
    ...(encrypts ? { failureConverterPath: path.join(WORKFLOWS, `encoded-failures${EXTENSION}`) } : {}),
  });
}

/** This program's workflows as one script: built with the product, or made now when it runs from its sources. */
export async function workflowCode(encrypts: boolean): Promise<string> {
  const built = bundleFile(encrypts);
  if (existsSync(built)) return readFile(built, 'utf8');
  return (await bundleWorkflows(encrypts, Runtime.instance().logger)).code;
}
