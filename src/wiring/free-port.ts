import { errnoOf } from '../domain/base/errno.js';
import type { SettingName } from '../config/settings.js';
import type { ListenAddress } from '../domain/base/listen-address.js';
import { InvalidInputError } from '../domain/base/errors.js';

/** What `listen` makes. Errors: `InvalidInputError` with the setting to change where it can't listen there. */
export async function onFreePort<T>(
  setting: SettingName,
  { host, port }: ListenAddress,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    const why = whyNot(errnoOf(cause), host, `${host}:${String(port)}`);
    if (why === undefined) throw cause;
    throw new InvalidInputError(`${setting}: ${why}`, { cause });
  }
}

function whyNot(errno: string | undefined, host: string, at: string): string | undefined {
  switch (errno) {
    case 'EADDRINUSE':
      return `another program listens at ${at}: stop it, or set another one`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}: set one that it has, or leave the setting out for loopback`;
    case 'EACCES':
      return `this user may not listen at ${at}: set a port from 1024 on`;
    default:
      return undefined;
  }
}
