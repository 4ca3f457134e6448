import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Runtime, type Logger } from '@temporalio/worker';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/', import.meta.url));
const EXTENSION = path.extname(import.meta.url);

/** Lines are enough for stack traces: the worker holds the script and its map in each of two threads. */
const SOURCE_MAP = 'inline-nosources-cheap-module-source-map';

/** One that encrypts failures differs by its converter, one whose runs are traced by its interceptors. */
export interface BundleKind {
  readonly encrypts: boolean;
  readonly traces: boolean;
}

/** Where the prebuilt bundle is. */
export function bundleFile({ encrypts, traces }: BundleKind): string {
  return path.join(WORKFLOWS, `bundle${encrypts ? '-encrypting' : ''}${traces ? '-tracing' : ''}.js`);
}

/** Bundles the workflows as they are here. */
export async function bundleWorkflows(
  { encrypts, traces }: BundleKind,
  logger?: Logger,
): Promise<{ readonly code: string }> {
  return bundleWorkflowCode({
    ...(logger === undefined ? {} : { logger }),
    workflowsPath: path.join(WORKFLOWS, `all-workflows${EXTENSION}`),
    webpackConfigHook: (config) => ({ ...config, devtool: SOURCE_MAP }),
    ...(encrypts ? { failureConverterPath: path.join(WORKFLOWS, `encoded-failures${EXTENSION}`) } : {}),
    workflowInterceptorModules: [...(traces ? ['traces'] : []), 'readable-signals', 'results-in-order'].map(
      (module) => path.join(WORKFLOWS, 'interceptors', `${module}${EXTENSION}`),
    ),
  });
}

/** This program's workflows as one script: built with the product, or made now when it runs from its sources. */
export async function workflowCode(kind: BundleKind): Promise<string> {
  const built = bundleFile(kind);
  if (existsSync(built)) return readFile(built, 'utf8');
  return (await bundleWorkflows(kind, Runtime.instance().logger)).code;
}
