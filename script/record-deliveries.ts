/**
 * Plays a story on a real Gitea and writes what it sends to test/fixtures/deliveries and docs/forge-events.md. Files that would differ only in
 * times, commits and signatures stay as they are.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Catcher } from '../test/support/deliveries/catcher.js';
import { withEventsTable } from '../test/support/deliveries/events-table.js';
import { FIXTURES } from '../test/support/deliveries/recorded-delivery.js';
import { playIssues } from '../test/support/deliveries/story-issues.js';
import { playPulls } from '../test/support/deliveries/story-pulls.js';
import { playRepository } from '../test/support/deliveries/story-repository.js';
import { storyWorld } from '../test/support/deliveries/story-world.js';
import { writeFixtures } from '../test/support/deliveries/write-fixtures.js';
import { startGitea } from '../test/support/gitea/start-gitea.js';

/** Stands in every payload, so it is the same each time. */
const PORT = 3910;

const directory = await mkdtemp(join(tmpdir(), 'bot-bottle-recording-'));
const catcher = await Catcher.start();
try {
  const gitea = await startGitea({ port: PORT });
  try {
    const world = await storyWorld(gitea, catcher, directory);
    await playIssues(world);
    await playPulls(world);
    await playRepository(world);
    const changed = writeFixtures(FIXTURES, world.recording.acts);
    const page = fileURLToPath(new URL('../docs/forge-events.md', import.meta.url));
    await writeFile(page, await withEventsTable(await readFile(page, 'utf8'), page, world.recording.acts));
    console.log(
      `${String(world.recording.acts.size)} acts; new, changed or gone: ${changed.join(', ') || 'none'}`,
    );
  } finally {
    await gitea.stop();
  }
} finally {
  await catcher.stop();
  await rm(directory, { recursive: true, force: true });
}
