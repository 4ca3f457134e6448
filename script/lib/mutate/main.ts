/** `script/mutate` after set-up: reads what is asked for, has Stryker change each target, prints what no test noticed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { testsFor } from './mirror.js';
import { outcomeLines } from './outcome-lines.js';

const ROOMS = ['src/domain', 'src/workflows', 'src/webhook', 'src/activities', 'src/bundle'];
const cache = process.env['BOT_BOTTLE_CACHE'];
const sandboxes = process.env['BOT_BOTTLE_SANDBOXES'];
if (cache === undefined || sandboxes === undefined)
  throw new Error('BOT_BOTTLE_CACHE or BOT_BOTTLE_SANDBOXES is not set: run script/mutate');
const kept = path.join(cache, 'mutate');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: 'string', default: '1' },
    again: { type: 'boolean', default: false },
    static: { type: 'boolean', default: false },
  },
});
const targets = (positionals.length === 0 ? ROOMS : positionals).map((target) =>
  path.posix.normalize(target).replace(/\/$/, ''),
);
const wrong = targets.find((target) => !/^src(?:\/|$)/.test(target) || !existsSync(target));
if (wrong !== undefined || !/^[12]$/.test(options.concurrency)) {
  const why = wrong === undefined ? '--concurrency is 1 or 2' : `no file or folder of src: ${wrong}`;
  console.error(`error: ${why}\n    script/mutate --help`);
  process.exit(2);
}

const unitTests = readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/unit/${file}`);

for (const target of targets) {
  const changes = await new Stryker({
    configFile: path.join(import.meta.dirname, 'stryker.json'),
    mutate: [target.endsWith('.ts') ? target : `${target}/**/*.ts`],
    unitTests: testsFor(target, unitTests, (file) => readFileSync(file, 'utf8')),
    plugins: [path.join(import.meta.dirname, 'mocha-runner.ts')],
    concurrency: Number(options.concurrency),
    tempDirName: sandboxes,
    incrementalFile: path.join(kept, `${target.replaceAll('/', '-')}${options.static ? '-static' : ''}.json`),
    force: options.again,
    ignoreStatic: !options.static,
  }).runMutationTest();
  const here = changes.map((change) => ({
    ...change,
    fileName: path.relative(process.cwd(), change.fileName),
  }));
  for (const line of outcomeLines(here, (file) => readFileSync(file, 'utf8'))) console.log(line);
}
