import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from '../base/code-of.js';
import type { Resolve } from './addresses.js';

const TIMEOUT_MS = 3000;
const TRIES = 2;
/** Errors that say that a name has no address of the family asked for; any other is one of asking. */
const NONE = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks the DNS for names that an agent gave: no `hosts` file, no search domains, and not in the threads that files are
 * written in, so that slow servers of the agent's choice hold up nothing else.
 */
export function dnsResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    const telling = failures.find((reason) => !NONE.has(codeOf(reason))) ?? failures[0];
    throw telling instanceof Error ? telling : new Error(`${host} has no address`);
  };
}

/** Asks the system for names that the operator gave, as every other program of theirs would. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
