/**
 * Adds what `npm install` left out of package-lock.json because the registry in use has no packages for other systems than
 * this one. Without them `npm ci` refuses the lock file. An entry that is made here has no checksum: a registry that has
 * the package adds it with the next `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { entryOf, missingPackages, type LockPackages } from './lib/optional-packages.js';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockPackages };
const { packages } = lock;
const missing = missingPackages(packages);
const added = missing.map((one) => [one.path, entryOf(one, packages)] as const);
// In npm's own order.
lock.packages = Object.fromEntries(
  [...Object.entries(packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en')),
);
if (missing.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
for (const { name, wanted } of missing) console.log(`added ${name}@${wanted}`);
console.log(missing.length === 0 ? 'nothing is missing' : `${missing.length} added`);
