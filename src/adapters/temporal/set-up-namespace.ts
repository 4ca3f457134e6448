import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/messages.js';
import { awaitNamespace, PATIENT, type Patience } from './await-namespace.js';
import { isRefused, reasonOf } from './grpc-status.js';

/** Closed workflows stay visible this long. */
export const RETENTION_DAYS = 90;
/** For all the calls that set it up, once it is there. */
const SETUP_MS = 10_000;
/** `temporal.api.enums.v1.IndexedValueType` */
const INDEXED_VALUE_TYPE = { KEYWORD: 2, INT: 3 } as const;

export interface NamespaceSetup {
  readonly added: readonly string[];
}

/** Names of ours that the namespace does not have. */
export async function missingSearchAttributes(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  const known = await client.connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(SEARCH_ATTRIBUTES).filter((name) => known.customAttributes[name] === undefined);
}

/**
 * Waits for server and namespace, adds the search attributes that are missing and sets the retention. Harmless to
 * repeat. A cluster that manages them elsewhere (Temporal Cloud) may refuse: without the attributes that is an error, with
 * another retention runs work, and it is said.
 * Errors: those of `awaitNamespace`, and gRPC's.
 */
export async function setUpNamespace(client: Client, patience: Patience = PATIENT): Promise<NamespaceSetup> {
  await awaitNamespace(client, patience);
  return client.withDeadline(Date.now() + SETUP_MS, () => setUp(client, patience.say));
}

async function setUp(client: Client, say: Patience['say']): Promise<NamespaceSetup> {
  const { namespace } = client.options;
  const { operatorService, workflowService } = client.connection;
  const absent = await missingSearchAttributes(client);
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => absent.includes(name));
  if (missing.length > 0) {
    const searchAttributes = Object.fromEntries(
      missing.map(([name, type]) => [name, INDEXED_VALUE_TYPE[type]]),
    );
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  }
  const wanted = RETENTION_DAYS * 86_400;
  const description = await workflowService.describeNamespace({ namespace });
  const current = Number(description.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  // Others may share the namespace, and keep theirs for longer.
  if (current < wanted) {
    const workflowExecutionRetentionTtl = msToTs(wanted * 1000);
    try {
      await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
    } catch (error) {
      if (!isRefused(error)) throw error;
      say(
        `the namespace ${namespace} keeps closed workflows for ${days(current)}, not ${days(wanted)}, and the server refused to change that (${reasonOf(error.details)}): set it there`,
      );
    }
  }
  return { added: missing.map(([name]) => name) };
}

function days(seconds: number): string {
  return `${String(Math.round((seconds / 86_400) * 10) / 10)} days`;
}
