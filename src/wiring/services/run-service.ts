/** What every long-running process begins and ends with, whichever entry it was started by. */
import { EXIT } from '../../cli/base/exit-codes.js';
import { printProblem } from '../../cli/base/output.js';
import { reportFailure } from '../../cli/report-failure.js';
import { loadConfig, type Config } from '../../config/load-config.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { endWith } from '../end-with.js';
import { endOnUncaught, isPartOfUp, tellFailure } from './part-of-up.js';

export type Say = (line: string) => void;

/** Runs until it is asked to stop. */
export type Service = (config: Config, say: Say) => Promise<void>;

/** With the configuration of the environment and the home, whose warnings are printed. Throws what the service throws. */
export async function runService(service: Service): Promise<void> {
  endOnUncaught();
  const { config, warnings } = loadConfig(process.env);
  // `up` has printed those of its parts.
  if (!isPartOfUp()) for (const warning of warnings) printProblem(process, `warning: ${warning}`);
  await service(config, (line) => {
    printProblem(process, `bot-bottle: ${line}`);
  });
  // Its channel to `up` would keep the process.
  if (process.connected) process.disconnect();
}

/** The whole of an entry that is one service: it takes no arguments and fails as `bot-bottle` does. */
export async function enter(service: Service): Promise<void> {
  try {
    if (process.argv.length > 2)
      throw new InvalidInputError('this takes no arguments; bot-bottle --help lists the commands that do');
    await runService(service);
    endWith(EXIT.ok);
  } catch (error) {
    endWith(isPartOfUp() ? await tellFailure(error) : reportFailure(process, error));
  }
}
