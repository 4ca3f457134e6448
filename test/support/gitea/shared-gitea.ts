import { after } from 'mocha';
import { startGitea } from './start-gitea.js';
import type { Gitea } from './start-gitea.js';

let started: Promise<Gitea> | undefined;

/** One server for all suites of a mocha process that only add to it; it is stopped when the last one is through. */
export function sharedGitea(): Promise<Gitea> {
  started ??= startGitea();
  return started;
}

after(async function stopSharedGitea() {
  await (await started)?.stop();
});
