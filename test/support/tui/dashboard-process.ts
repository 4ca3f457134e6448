/** `bot-bottle` as it is, but a decision is written where its workflow would, instead of asking that. */
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { runCli } from '../../../src/cli/run-cli.js';
// Compiled while nobody types: the product's is compiled already.
import '../../../src/wiring/operator/open-orchestrator.js';
import { cliDeps } from '../../../src/wiring/cli/cli-deps.js';
import { endWith } from '../../../src/wiring/end-with.js';

const { BOT_BOTTLE_HOME = '', BOT_BOTTLE_TEST_DECIDES_IN = '0' } = process.env;
const STATUS = { approve: 'approved', modify: 'modified', reject: 'rejected' } as const;

const deps: typeof cliDeps = {
  ...cliDeps,
  orchestrator: async (options) => {
    const real = await cliDeps.orchestrator(options);
    return {
      ...real,
      decide: async ({ slug, id, ref: shown }, decision) => {
        await sleep(Number(BOT_BOTTLE_TEST_DECIDES_IN));
        const database = await openDatabase(path.join(BOT_BOTTLE_HOME, 'bot-bottle.db'));
        const status = STATUS[decision.verdict];
        const ref = decision.verdict === 'reject' ? null : shown;
        await database.proposals.decide({
          slug,
          id,
          status,
          who: 'me@here',
          at: Date.now(),
          ref,
          notesRef: null,
        });
        await database.close();
        return { kind: 'decided', slug, status, effect: decision.verdict === 'reject' ? 'none' : 'now' };
      },
    };
  },
};
endWith(await runCli(deps, process.argv.slice(2)));
