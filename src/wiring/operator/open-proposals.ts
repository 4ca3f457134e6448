import path from 'node:path';
import { LocalBlobStore } from '../../adapters/files/blob-store.js';
import { openDatabaseReadOnly } from '../../adapters/sqlite/open-database-read-only.js';
import type { OpenProposals } from '../../cli/base/proposal-desk.js';
import { proposalReader } from '../../cli/runs/proposal-reader.js';

/** The proposals of a home, to be looked at. The caller closes it. */
export function openProposals(home: string): OpenProposals {
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  const blobs = new LocalBlobStore(home);
  return {
    ...proposalReader({ database, readText: (ref) => blobs.getText(ref) }),
    overview: () => database.runs.overview(),
    close: () => database.close(),
  };
}
