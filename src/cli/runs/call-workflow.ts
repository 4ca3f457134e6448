import {
  Connection,
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { InvalidInputError } from '../../domain/base/errors.js';
import { UnreachableError } from '../base/errors.js';
import type { Refused } from '../base/orchestrator.js';
import type { SentUntil } from '../../workflows/messages.js';
import type { OrchestratorWorld } from './orchestrator-world.js';

/** Milliseconds a worker may take to answer. */
export const CALL_MS = 15_000;
/** gRPC's status codes. */
const TOO_MUCH: readonly unknown[] = [/* RESOURCE_EXHAUSTED */ 8];

/** `undefined` when there is no such workflow. */
export async function call<T>(
  world: Pick<OrchestratorWorld, 'client' | 'callMs'>,
  ask: (handle: WorkflowHandle) => Promise<T>,
  workflowId: string,
): Promise<T | undefined> {
  const { client, callMs = CALL_MS } = world;
  try {
    return await client.withDeadline(Date.now() + callMs, () => ask(client.workflow.getHandle(workflowId)));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (!isAway(error)) throw error;
    if (isTooMuch(error))
      throw new UnreachableError(
        'the workflow',
        'it is busy: Temporal takes no more calls of it at once. Try again in a minute',
        { cause: error },
      );
    throw new UnreachableError(
      'Temporal or its worker',
      `asked at ${addressOf(client)}: check TEMPORAL_ADDRESS, see bot-bottle doctor, and whether bot-bottle worker runs`,
      { cause: error },
    );
  }
}

/**
 * Sends an Update that is no longer accepted once its sender was told that nobody answers; what was accepted by then goes on.
 * As `call`.
 */
export function send<Answer, Asked extends object | undefined>(
  world: Pick<OrchestratorWorld, 'client' | 'callMs'>,
  update: UpdateDefinition<Answer, [Asked]>,
  asked: NonNullable<Asked>,
  workflowId: string,
): Promise<Answer | undefined> {
  const sent: NonNullable<Asked> & SentUntil = { ...asked, until: Date.now() + (world.callMs ?? CALL_MS) };
  return call(world, (handle) => handle.executeUpdate(update, { args: [sent] }), workflowId);
}

/** The workflow's own refusal, as an answer. Errors: any other one. */
export function refusalOf(error: unknown): Refused {
  if (!(error instanceof WorkflowUpdateFailedError)) throw error;
  return { kind: 'refused', reason: error.cause?.message ?? error.message };
}

/** An answer that can't be decrypted is the operator's to mend. */
export function noAnswer(error: unknown): undefined {
  if (error instanceof InvalidInputError) throw error;
  return undefined;
}

function addressOf({ connection }: Client): string {
  return connection instanceof Connection ? connection.options.address : 'an unknown address';
}

/** More Updates of one workflow at once than the server takes, or more requests. */
function isTooMuch(error: unknown): boolean {
  const status = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(status) && TOO_MUCH.includes(status.code);
}

export function isAway(error: unknown): boolean {
  return (
    error instanceof ServiceError ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcServiceError(error)
  );
}
