/**
 * Launch and resume of a real bottle against their raw floors, and the history a turn costs: rounds of floor and product
 * in turns, on one real stack (forge, Temporal server, webhook, worker, containers).
 */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { quietRuntime } from '../../test/support/temporal/time-skipping.js';
import { BARE_QUEUE, withBareWorker } from './bare-worker.js';
import { BottleLife, FIRST_INSTRUCTION, type LifeWorld, type TimedTurn } from './bottle-life.js';
import { cleaningUp } from '../base/clean-up.js';
import { plainFigure, ratioFigure, type Figure, type Round } from '../base/figure.js';
import { breakdown, eventsByTurn, type HistoryEvent } from '../base/history-events.js';
import { withLives } from './life-stack.js';
import { RawBottle } from './raw-bottle.js';
import { describeStages, traceTurn, type Stage } from './trace-turn.js';

interface Measured {
  readonly launch: Round;
  readonly resume: Round;
  readonly history: readonly HistoryEvent[];
  readonly stages: { readonly launch: readonly Stage[]; readonly resume: readonly Stage[] };
}

export async function bottleFigures(rounds: number) {
  quietRuntime();
  return withLives(FIRST_INSTRUCTION, {}, (world) =>
    withBareWorker(world.stack.temporalAddress, world.client, async () => {
      // The first round warms everything up and is not counted.
      await measureOnce(world, 0);
      const measured: Measured[] = [];
      for (let round = 1; round <= rounds; round += 1) measured.push(await measureOnce(world, round));
      return {
        launch_overhead_ratio: figureOf(measured, 'launch', 1.35),
        resume_overhead_ratio: figureOf(measured, 'resume', 2),
        history_events_per_turn: historyFigure(measured.map(({ history }) => history)),
      };
    }),
  );
}

function figureOf(measured: readonly Measured[], which: 'launch' | 'resume', goal: number): Figure {
  const rounds = measured.map((one) => one[which]);
  const notes = [describeStages(measured.map(({ stages }) => stages[which]))];
  return ratioFigure(rounds, { goal, better: 'less', unit: 'ms', notes });
}

/** A whole life of the product between the two halves of its floor; every other round begins with the product. */
async function measureOnce(world: LifeWorld, round: number): Promise<Measured> {
  const floorFirst = round % 2 === 0;
  const raw = await RawBottle.prepare(world.stack.home, world.stack.env['FORGE_GITEA_API'] ?? '');
  return cleaningUp(
    () => raw.remove(),
    async () => {
      const floor = { launch: 0, resume: 0 };
      const floorLaunch = async (): Promise<void> => {
        floor.launch = await timedFloor(world.client, () => raw.launch());
        await raw.stop();
      };
      const floorResume = async (): Promise<void> => {
        floor.resume = await timedFloor(world.client, () => raw.restart());
        await raw.stop();
      };
      if (floorFirst) await floorLaunch();
      const { life, timed: launch } = await BottleLife.launch(world);
      if (!floorFirst) await floorLaunch();
      if (floorFirst) await floorResume();
      const resume = await life.resume();
      if (!floorFirst) await floorResume();
      const history = await life.close();
      return {
        launch: { measured: took(launch), floor: floor.launch },
        resume: { measured: took(resume), floor: floor.resume },
        history,
        stages: {
          launch: await traceTurn(launch, history, world.kind.moment),
          resume: await traceTurn(resume, history, world.kind.moment),
        },
      };
    },
  );
}

function took({ postedAt, endedAt }: TimedTurn): number {
  return endedAt - postedAt;
}

/** Milliseconds from the start of a workflow with one activity over its end to the agent's first instruction. */
async function timedFloor(client: Client, startContainers: () => Promise<number>): Promise<number> {
  const began = Date.now();
  await client.workflow.execute('oneActivity', {
    workflowId: `bench-${randomUUID()}`,
    taskQueue: BARE_QUEUE,
  });
  return (await startContainers()) - began;
}

function historyFigure(histories: readonly (readonly HistoryEvent[])[]): Figure {
  const turns = histories.map((history) => eventsByTurn(history));
  if (turns.length === 0 || turns.some((life) => life.length !== 2))
    throw new Error('a life had not two turns');
  const worst = (turn: number): readonly HistoryEvent[] =>
    turns.map((life) => life[turn] ?? []).reduce((a, b) => (b.length > a.length ? b : a));
  const [first, second] = [worst(0), worst(1)];
  const eventsPerTurn = turns.map((life) => life.flat().length / life.length);
  return plainFigure(eventsPerTurn, {
    goal: 36,
    unit: 'events',
    better: 'less',
    notes: [
      `first turn, with open_pr and the life's beginning: ${String(first.length)}: ${breakdown(first)}`,
      `rehydrated turn: ${String(second.length)}: ${breakdown(second)}`,
    ],
  });
}
