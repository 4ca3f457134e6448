/** Before anything is served: may the bot do on the forge what it is for? */
import { botRights, namedRepositories } from './bot-rights.js';
import type { Config } from '../config/load-config.js';
import { ForgeHttpError, InvalidInputError } from '../domain/base/errors.js';
import type { Logger } from '../config/log.js';

/**
 * Errors: `InvalidInputError` that lists what to grant, or says that the forge does not take the token. A forge that is
 * away is no reason not to start: what arrives waits for it, and `doctor` asks again.
 */
export async function assertBotRights(config: Config, log: Logger): Promise<void> {
  try {
    const { login, problems } = await botRights(config, namedRepositories(config), { retry: { tries: 1 } });
    const messages = problems.map(({ message }) => message);
    for (const { severity, message } of problems) if (severity === 'warning') log.warn({ login }, message);
    if (problems.some(({ severity }) => severity === 'error'))
      throw new InvalidInputError(`the bot ${login} lacks rights on the forge: ${messages.join('; ')}`);
    log.info({ login, org: config.FORGE_ORG }, 'the bot has its rights on the forge');
  } catch (error) {
    if (!(error instanceof ForgeHttpError)) throw error;
    if (!error.retryable) throw new InvalidInputError(`the bot's rights: ${error.message}`, { cause: error });
    log.warn({ err: error }, 'the forge does not answer: the rights of the bot were not checked');
  }
}
