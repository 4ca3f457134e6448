// All attacks, by group. Run with the path of a JSON file with targets, and of the file that the report goes to: one
// JSON object a line.
import { appendFileSync, readFileSync } from 'node:fs';
import { files } from './files.mjs';
import { kernel } from './kernel.mjs';
import { limits } from './limits.mjs';
import { network } from './network.mjs';
import { secrets } from './secrets.mjs';
import { sidecar } from './sidecar.mjs';

const PROBE_MS = 20_000;

/** In this order: the limits last, since they may cost the processes of others. */
export const GROUPS = { network, kernel, secrets, files, sidecar, limits };

async function main([targetsFile, reportFile, only]) {
  const targets = JSON.parse(readFileSync(targetsFile, 'utf8'));
  for (const [group, probes] of Object.entries(GROUPS)) {
    for (const { name, tries, run, control } of probes) {
      if (only === 'control' && control !== true) continue;
      const since = Date.now();
      let outcome;
      try {
        const late = new Promise((_, reject) =>
          setTimeout(() => reject(new Error('no end')), PROBE_MS).unref(),
        );
        outcome = await Promise.race([run(targets), late]);
      } catch (error) {
        // A probe that breaks has shown nothing.
        outcome = { blocked: false, evidence: `the probe broke: ${error.stack}` };
      }
      appendFileSync(
        reportFile,
        `${JSON.stringify({ group, name, tries, ...outcome, ms: Date.now() - since })}\n`,
      );
    }
  }
}

if (process.argv[1]?.endsWith('/probes.mjs') === true && process.argv.length > 3)
  await main(process.argv.slice(2));
