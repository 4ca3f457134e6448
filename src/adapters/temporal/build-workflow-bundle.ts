/** Build step: the workflow bundle that production workers load instead of bundling at start. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflows = new URL('../../workflows/', import.meta.url);
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('all-workflows.js', workflows)),
});
await writeFile(fileURLToPath(new URL('bundle.js', workflows)), code);
