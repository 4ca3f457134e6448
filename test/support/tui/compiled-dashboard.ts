/** `dashboard-process.ts` in one compiled file, since tsx takes seconds to load it at each start. */
import { buildSync } from 'esbuild';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../entries/entry-process.js';

export interface CompiledDashboard {
  /** A shell's command line, to which arguments may be added. */
  readonly command: string;
  remove(): void;
}

export function compileDashboard(): CompiledDashboard {
  const directory = mkdtempSync(join(tmpdir(), 'bot-bottle-test-'));
  // Two folders down, as deep as what it was made of: it reads the package.json above.
  const outdir = join(directory, 'dist/wiring');
  buildSync({
    entryPoints: [join(ROOT, 'test/support/tui/dashboard-process.ts')],
    ...{ outdir, bundle: true, splitting: true, format: 'esm', outExtension: { '.js': '.mjs' } },
    ...{ platform: 'node', target: 'node20', packages: 'external', logLevel: 'warning' },
  });
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(directory, name));
  return {
    command: `env NODE_ENV=production node ${join(outdir, 'dashboard-process.mjs')}`,
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
