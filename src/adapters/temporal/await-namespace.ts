import { setTimeout as delay } from 'node:timers/promises';
import { Connection, type Client } from '@temporalio/client';
import { InvalidInputError } from '../../domain/base/errors.js';
import { escapeTerminal } from '../../domain/text/escape.js';
import { isAway, isNotFound, reasonOf } from './grpc-status.js';

export interface Patience {
  /** Milliseconds for server and namespace together. */
  readonly ms: number;
  /** Told what is waited for, each time that changes. */
  readonly say: (line: string) => void;
}

/** A server that starts beside us takes seconds; its namespace, made by somebody else, a few more. */
export const PATIENT: Patience = {
  ms: 60_000,
  say: (line) => process.stderr.write(`bot-bottle: ${escapeTerminal(line)}\n`),
};

const EVERY_MS = 500;
/** One call of a server that took the connection and says nothing. */
const CALL_MS = 5_000;
/** A client that doesn't accept the server, or speaks TLS to one that doesn't: the same again in a minute. */
const TLS_IS_WRONG = /certificate|Hostname\/IP|SSL routines/i;

type Hindrance =
  | { readonly kind: 'away'; readonly why: string; readonly error: unknown }
  | { readonly kind: 'no-namespace'; readonly error: unknown };

/**
 * Waits until the server answers and knows the client's namespace. Ends at once with what waiting can't cure: refused
 * rights, wrong TLS.
 * Errors: `InvalidInputError` for a namespace that isn't there when the time is up and for wrong TLS; else those of gRPC.
 */
export async function awaitNamespace(client: Client, { ms, say }: Patience): Promise<void> {
  const { namespace } = client.options;
  const { connection } = client;
  // Another kind, such as a worker's own, is connected already.
  const options = connection instanceof Connection ? connection.options : undefined;
  const address = options?.address ?? 'this server';
  const deadline = Date.now() + ms;
  // The client's own connection repeats a call until its deadline, which then is all that one learns.
  const probe = options === undefined ? undefined : Connection.lazy({ ...options, interceptors: [] });
  const limit = `up to ${String(ms / 1000)} s`;
  let said: string | undefined;
  try {
    for (;;) {
      const away = probe === undefined ? undefined : await serverIsAway(probe, deadline);
      const hindrance = away ?? (await namespaceIsMissing(client, deadline));
      if (hindrance === undefined) return;
      if (Date.now() + EVERY_MS >= deadline) throw outOfPatience(hindrance, namespace, address);
      const line =
        hindrance.kind === 'away'
          ? `waiting ${limit} for Temporal at ${address}: ${hindrance.why}`
          : `waiting ${limit} for the namespace ${namespace} at ${address}`;
      if (line !== said) say(line);
      said = line;
      await delay(EVERY_MS);
    }
  } finally {
    await probe?.close();
  }
}

async function serverIsAway(probe: Connection, deadline: number): Promise<Hindrance | undefined> {
  try {
    await probe.withDeadline(callEnds(deadline), () => probe.workflowService.getSystemInfo({}));
    return undefined;
  } catch (error) {
    // Any other answer, such as one that wants the API key, is one.
    if (!isAway(error)) return undefined;
    const why = reasonOf(error.details);
    if (TLS_IS_WRONG.test(error.details))
      throw new InvalidInputError(
        `no TLS connection to Temporal: ${why}. Check TEMPORAL_TLS and its certificates, or the profile that has them`,
        { cause: error },
      );
    return { kind: 'away', why, error };
  }
}

async function namespaceIsMissing(client: Client, deadline: number): Promise<Hindrance | undefined> {
  const { namespace } = client.options;
  const { operatorService, workflowService } = client.connection;
  try {
    await client.withDeadline(callEnds(deadline), async () => {
      await workflowService.describeNamespace({ namespace });
      // What reads through the server's cache learns of a new namespace seconds later.
      await operatorService.listSearchAttributes({ namespace });
    });
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return { kind: 'no-namespace', error };
    if (isAway(error)) return { kind: 'away', why: reasonOf(error.details), error };
    throw error;
  }
}

function callEnds(deadline: number): number {
  // At the very end a call still needs some time.
  return Math.max(Date.now() + EVERY_MS, Math.min(Date.now() + CALL_MS, deadline));
}

function outOfPatience(hindrance: Hindrance, namespace: string, address: string): unknown {
  if (hindrance.kind === 'away') return hindrance.error;
  return new InvalidInputError(
    `Temporal at ${address} has no namespace ${namespace}. Make it with ` +
      `temporal operator namespace create --address ${address} --namespace ${namespace} --retention 90d, ` +
      'or name another one as TEMPORAL_NAMESPACE',
    { cause: hindrance.error },
  );
}
