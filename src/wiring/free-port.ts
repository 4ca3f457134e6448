import { errnoOf } from '../domain/base/errno.js';
import type { SettingName } from '../config/settings.js';
import type { ListenAddress } from '../domain/base/listen-address.js';
import { InvalidInputError } from '../domain/base/errors.js';

/** What `listen` makes. Errors: `InvalidInputError` with the setting to change where another program listens. */
export async function onFreePort<T>(
  setting: SettingName,
  { host, port }: ListenAddress,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    if (errnoOf(cause) !== 'EADDRINUSE') throw cause;
    const message = `${setting}: another program listens at ${host}:${String(port)}: stop it, or set another one`;
    throw new InvalidInputError(message, { cause });
  }
}
