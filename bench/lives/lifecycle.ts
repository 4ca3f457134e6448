/**
 * Whole lives a second: the real workflow over activities that do nothing, against a bare workflow with as many
 * activities, signals and updates of search attributes, on the same development server, interleaved. A life: trigger, turn, comment, turn, closed.
 */
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { deployedWorkers } from '../../test/support/temporal/deployed-workers.js';
import type { RunEvent } from '../../src/domain/run/events.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { comment, observed, trigger, wrote } from '../../test/support/machine/world.js';
import type { WorkflowGateway } from '../../src/webhook/dispatch/gateway.js';
import { temporalGateway } from '../../src/webhook/dispatch/temporal-gateway.js';
import { ScriptedActivities } from '../../test/support/temporal/scripted-activities.js';
import { HOST, quietRuntime } from '../../test/support/temporal/time-skipping.js';
import { BARE_QUEUE, withBareWorker } from './bare-worker.js';
import { ratioFigure, type Figure, type Round } from '../base/figure.js';
import { countKinds, type HistoryKinds } from '../base/history-events.js';
import { withDevServer } from '../base/dev-server.js';
import { within } from '../base/until.js';
import type { BareShape } from '../workflows/bare.workflow.js';
import { send } from '../../test/support/temporal/send.js';

const LIVES = 32;
const BATCH_MS = 120_000;
const PUBLISHED = { kind: 'published', pr: 13, prUrl: 'u', head: 'h', created: true } as const;
const CLOSED = observed({
  readAt: 1_000,
  open: false,
  closedAt: 999,
  prs: [{ number: 13, open: false, merged: true, closedAt: 999 }],
});

export async function lifecycleRatio(rounds: number): Promise<Figure> {
  quietRuntime();
  return withDevServer((client, address) =>
    withIssueWorkers(client, address, () =>
      withBareWorker(address, client, async () => {
        const world = new Lives(client);
        const { timers, events, ...shape } = await world.one();
        await world.batch(() => world.startReal());
        await world.batch(() => world.startBare(shape));
        const measured: Round[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const runs = {
            real: () => world.batch(() => world.startReal()),
            bare: () => world.batch(() => world.startBare(shape)),
          };
          const rate = { real: 0, bare: 0 };
          for (const side of round % 2 === 0 ? (['real', 'bare'] as const) : (['bare', 'real'] as const))
            rate[side] = await runs[side]();
          measured.push({ measured: rate.real, floor: rate.bare });
        }
        const counted = `a life: ${String(shape.remote)} activities, ${String(shape.local)} local ones, ${String(shape.signals)} signals, ${String(shape.upserts)} updates of search attributes, ${String(timers)} timers, ${String(events)} events`;
        return ratioFigure(measured, {
          goal: 0.75,
          better: 'more',
          unit: '/s',
          notes: [`${counted}; ${String(LIVES)} lives at once`],
        });
      }),
    ),
  );
}

async function withIssueWorkers<T>(client: Client, address: string, work: () => Promise<T>): Promise<T> {
  const tell = (workflowId: string, event: RunEvent): Promise<void> =>
    send(client.workflow.getHandle(workflowId), event);
  const fake = new ScriptedActivities((turn) => ({
    run: async ({ workflowId, slug }) => {
      await tell(workflowId, { kind: 'turn_started', slug, turn, at: 0 });
      if (turn === 1) await tell(workflowId, wrote(comment(1)));
      return { done: { id: `d${String(turn)}`, status: 'success', summaryRef: 'r' } };
    },
    settle: { publish: PUBLISHED },
  }));
  const { activities } = fake;
  const { claimHost, launchBottle, rehydrateBottle, freezeBottle, ...others } = activities;
  const settle: typeof freezeBottle = async (input) => {
    if (input.turn === 2) await tell(input.workflowId, CLOSED);
    return freezeBottle(input);
  };
  const workers = await deployedWorkers(client, {
    target: { connection: { address }, namespace: 'default' },
    host: HOST,
    slots: LIVES,
    activities: {
      home: others,
      claim: { claimHost },
      turns: { launchBottle, rehydrateBottle },
      host: { ...others, freezeBottle: settle },
    },
  });
  try {
    return await work();
  } finally {
    await workers.stop();
  }
}

/** Starts lives in numbers and waits for their ends. */
class Lives {
  private number = 0;

  private readonly gateway: WorkflowGateway;

  constructor(private readonly client: Client) {
    this.gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
  }

  /** One real life, counted. */
  async one(): Promise<HistoryKinds> {
    const handle = await this.startReal();
    await within('a life', BATCH_MS, handle.result());
    return countKinds((await handle.fetchHistory()).events ?? []);
  }

  /** Lives a second from the first start to the last end. */
  async batch(start: () => Promise<WorkflowHandle>): Promise<number> {
    const began = performance.now();
    await Promise.all(
      Array.from({ length: LIVES }, async () => {
        const handle = await start();
        await within('a life', BATCH_MS, handle.result());
      }),
    );
    return LIVES / ((performance.now() - began) / 1000);
  }

  async startReal(): Promise<WorkflowHandle> {
    const subject = { forge: 'gitea', owner: 'bench', repo: 'bench', number: (this.number += 1) } as const;
    const asked = { ...observed({ readAt: 6 }), trigger: trigger(5) };
    await this.gateway.signalWithStart(subject, asked, { title: 'A life', url: 'http://forge.invalid/1' });
    return this.client.workflow.getHandle(workflowIdOf(subject));
  }

  startBare(shape: BareShape): Promise<WorkflowHandle> {
    return this.client.workflow.signalWithStart('bareLife', {
      workflowId: `bare-${randomUUID()}`,
      taskQueue: BARE_QUEUE,
      args: [shape],
      signal: 'nudge',
      signalArgs: [],
    });
  }
}
