/** Build step: the workflow bundles that production workers load instead of bundling at start. */
import { writeFile } from 'node:fs/promises';
import { bundleFile, bundleWorkflows } from './workflow-source.js';

for (const encrypts of [false, true])
  for (const traces of [false, true]) {
    const { code } = await bundleWorkflows({ encrypts, traces });
    await writeFile(bundleFile({ encrypts, traces }), code);
  }
