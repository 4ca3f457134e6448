/** The child of `TemporalAsker`, for as long as it is asked. */
import type { Client } from '@temporalio/client';
import { failureOf } from '../../cli/base/errors.js';
import { setUpNamespace } from '../../adapters/temporal/set-up-namespace.js';
import { loadConfig } from '../../config/load-config.js';
import { temporalClient } from '../temporal-client.js';
import type { TemporalAnswer, TemporalQuestion } from './temporal-asker.js';

const CALL_MS = 1_000;

let connected: Client | undefined;

async function answerTo({ id, ask }: TemporalQuestion): Promise<TemporalAnswer> {
  try {
    const client = (connected ??= temporalClient(loadConfig(process.env).config));
    if (ask === 'set_up') await setUpNamespace(client);
    else {
      const { namespace } = client.options;
      await client.withDeadline(Date.now() + CALL_MS, () =>
        client.workflowService.describeNamespace({ namespace }),
      );
    }
    return { id, kind: 'yes' };
  } catch (error) {
    return ask === 'answers' ? { id, kind: 'no' } : { id, kind: 'failed', ...failureOf(error) };
  }
}

process.on('message', (question: TemporalQuestion) => {
  void answerTo(question).then((answer) => process.send?.(answer, undefined, undefined, () => undefined));
});
// A service manager asks all processes to stop; this one ends with the one that asks it.
process.on('SIGTERM', () => undefined);
process.once('disconnect', () => process.exit());
