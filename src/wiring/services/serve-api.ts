import type { Config } from '../../config/load-config.js';
import { createLogger } from '../../config/log.js';
import { ensureHome } from '../../config/home.js';
import { secretsRead } from '../../config/secrets.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { startApi } from '../api/start-api.js';
import { tellUp } from './part-of-up.js';
import { untilAskedToStop } from './until-asked-to-stop.js';

/** The API until a signal. Errors: `InvalidInputError` when it is off; those of the socket. */
export async function serveApi(config: Config): Promise<void> {
  const { API_LISTEN: address, BOT_BOTTLE_HOME: home } = config;
  if (address === null)
    throw new InvalidInputError('API_LISTEN is off: set it to an address, such as 127.0.0.1:8085');
  ensureHome(home);
  const log = createLogger({ level: config.LOG_LEVEL, name: 'api', secrets: secretsRead });
  const api = await startApi({ ...config, API_LISTEN: address }, log);
  log.info({ url: api.url }, 'API listening');
  await tellUp({ kind: 'serving', at: api.url });
  await untilAskedToStop();
  await api.stop();
  log.info({}, 'API stopped');
}
