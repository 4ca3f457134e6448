import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import { isSlug } from '../../../domain/run/slug.js';
import type { ProposalFiles } from '../../../domain/supervise/proposal-records.js';
import { escapeJson } from '../../../domain/text/escape.js';
import { ensurePrivate, removeIfEmpty } from '../directories.js';
import { writeWhole } from '../../system/write-file.js';

const ID = /^[0-9a-f]{32}$/;

/** `$BOT_BOTTLE_HOME/queue/<slug>/<id>.json`. Not to be called twice at once for the same run. */
export function proposalFiles(home: string): ProposalFiles {
  const queue = join(home, 'queue');
  return {
    write: async (proposal) => {
      const { directory, file } = placeOf(queue, proposal.bottle_slug, proposal.id);
      await ensurePrivate(queue);
      await ensurePrivate(directory);
      // What an agent wrote is in it: people look at it with `cat`.
      const text = `${escapeJson(JSON.stringify(proposal, null, 2))}\n`;
      await writeWhole(file, text, { mode: 0o600, durable: true });
    },
    remove: async (slug, id) => {
      const { directory, file } = placeOf(queue, slug, id);
      await rm(file, { force: true });
      await removeIfEmpty(directory);
    },
  };
}

/** Errors: `InvalidInputError`; nothing else than a slug and an id ever becomes part of a path. */
function placeOf(queue: string, slug: string, id: string): { directory: string; file: string } {
  if (!isSlug(slug)) throw new InvalidInputError(`not a run's slug: ${JSON.stringify(slug)}`);
  if (!ID.test(id)) throw new InvalidInputError(`not a proposal's id: ${JSON.stringify(id)}`);
  const directory = join(queue, slug);
  return { directory, file: join(directory, `${id}.json`) };
}
