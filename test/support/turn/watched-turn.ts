import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { Attachments } from '../../../src/activities/turn/attachments.js';
import { watchTurn } from '../../../src/activities/turn/watch-turn.js';
import type { EgressMessage, QueueBody } from '../../../src/domain/run/queue.js';
import type { TurnResult } from '../../../src/domain/run/turn.js';
import { SLUG } from '../host/host-world.js';
import { passTime, passTimeUntil } from './pass-time.js';
import { NOW, type TurnWorld } from './turn-world.js';

/** Longer than any test takes, though hours may go by in it; with one millisecond more a timer fires at once. */
const LONG_MS = 2 ** 31 - 1;

/** How a turn came to its end. */
export type End = { readonly result: TurnResult } | { readonly error: unknown };
/** In a list, so that who waits for the beginning does not wait for the end. */
export type Ending = readonly [Promise<End>];

/** Turns as an activity watches them, one after the other. Timers must be mocked. */
export class WatchedTurn {
  readonly attachments = new Attachments();
  activity = new MockActivityEnvironment();

  constructor(private readonly world: TurnWorld) {}

  async watch(changes: Partial<RunTurnInput> = {}, how: 'run' | 'attach' = 'run'): Promise<Ending> {
    const { ports, host } = this.world;
    const turn = await host.turning({ turnTimeoutMs: LONG_MS, doneGraceMs: LONG_MS, ...changes });
    const promptRef = await ports.blobs.put('Do it.');
    const input = { ...turn, prepared: { ...turn.prepared, promptRef } };
    const work = (): Promise<End> =>
      watchTurn(ports, this.attachments, input, how).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
    return [this.activity.run(work)];
  }

  /** Resolves when its agent runs and the run knows that. */
  async begin(changes: Partial<RunTurnInput> = {}): Promise<Ending> {
    const ending = await this.watch(changes);
    await passTimeUntil(() => this.runs && this.world.toldOf('turn_started').length > 0);
    return ending;
  }

  get runs(): boolean {
    return this.world.containers.get('agent')?.status === 'running';
  }
}

/** @param stepMs as `passTime` has it; small where the turn may take so long only */
export async function resultOf([ending]: Ending, stepMs?: number): Promise<TurnResult> {
  const end = await passTime(ending, stepMs);
  assert.ok('result' in end, String('error' in end && end.error));
  return end.result;
}

/** @param stepMs as for `resultOf` */
export async function errorOf([ending]: Ending, stepMs?: number): Promise<unknown> {
  const end = await passTime(ending, stepMs);
  return 'error' in end ? end.error : assert.fail('it came to its end');
}

/** A message of the sidecar, of turn 1. */
export function message<T extends object>(fields: T): T & { slug: string; turn: number; at: number } {
  return { slug: SLUG, turn: 1, at: NOW, ...fields };
}

export function doneMessage(): QueueBody {
  return message({ kind: 'done', status: 'success', summary: 'All done.' } as const);
}

export function egressMessage(changes: Partial<EgressMessage> = {}): EgressMessage {
  return message({
    ...{ kind: 'egress', process: 'process1', hosts: [], refusals: [], lastSuccessAt: null, model: null },
    ...changes,
  } as const);
}
