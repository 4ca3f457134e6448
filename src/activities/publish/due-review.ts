/** Whom to ask for a review of the pull request that is being opened, kept below the run's directory until it was done. */
import type { Forge } from '../../domain/forge/forge.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { Publisher, RunRef } from '../ports/inputs.js';
import { readText } from '../base/run-text.js';

const FILE = 'review-due';

type Opener = Pick<RunRef, 'subject' | 'slug'> & Pick<Publisher, 'triggerActor'>;

/** Before the pull request is opened: a try that dies behind that has the next one ask. */
export async function keepDueReview(
  { files, settings }: Pick<HostPorts, 'files' | 'settings'>,
  { slug, triggerActor }: Opener,
): Promise<void> {
  if (settings.requestReview && triggerActor !== '') await files.saveFile(slug, FILE, triggerActor);
}

/**
 * Asks once for a pull request: what a person has taken back since is not asked for again. A courtesy, without which the
 * pull request stands.
 */
export async function askForDueReview(
  { files, log }: Pick<HostPorts, 'files' | 'log'>,
  forge: Pick<Forge, 'requestReview'>,
  { subject, slug }: Opener,
  pr: number,
): Promise<void> {
  const login = await readText(files, slug, FILE);
  if (login === undefined) return;
  try {
    await forge.requestReview(pr, login);
  } catch (error) {
    log.warn({ repo: `${subject.owner}/${subject.repo}`, pr, login, err: error }, 'review not requested');
  }
  await files.removeFile(slug, FILE);
}
