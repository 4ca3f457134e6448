import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that answers `version` like gitleaks and then does what the script says: faults that the real one can't be told to make. */
export function fakeGitleaks(dir: string, script: string): string {
  const file = join(dir, 'fake-gitleaks');
  writeFileSync(file, `#!/bin/sh\n[ "$1" != version ] || { echo 8.30.1; exit 0; }\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
