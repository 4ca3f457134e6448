import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Runtime, type Logger, type WorkflowBundleOption } from '@temporalio/worker';

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

/** The prebuilt bundle in production; the sources when running from a checkout. */
export async function workflowSource(encrypts: boolean): Promise<{ workflowBundle: WorkflowBundleOption }> {
  const codePath = bundleFile(encrypts);
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowBundle: await bundleWorkflows(encrypts, Runtime.instance().logger) };
}
