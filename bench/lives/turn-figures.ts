/**
 * A turn of the real Claude Code through the product against the same CLI bare, with the same stub of its model: rounds of
 * both in turns, on one real stack.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { claude } from '../../src/adapters/agents/claude.js';
import { containerName } from '../../src/adapters/docker/names-and-labels.js';
import { bridgeAddress } from '../../test/support/model-api/bridge-address.js';
import { ModelApi } from '../../test/support/model-api/model-api.js';
import type { Stack } from '../../test/support/stack/stack.js';
import { BareCli, type BareRepository } from './bare-cli.js';
import { BottleLife, type LifeKind, type LifeWorld, type TimedTurn } from './bottle-life.js';
import { cleaningUp } from '../base/clean-up.js';
import { median, ratioFigure, type Figure, type Round } from '../base/figure.js';
import { withLives } from './life-stack.js';
import { describeStages, traceTurn, type Stage } from './trace-turn.js';
import { FIRST_TURN, ModelClock, SECOND_TURN } from './turn-script.js';

const AGENT = 'cli';
const KEY = 'sk-ant-of-the-benchmark';

const UNTIL_EXIT: LifeKind = {
  agent: AGENT,
  issueBody: '`sh greet.sh alice` says "hello"; it should say "hello, alice".',
  comment: 'Please test the greeting of the world, too.',
  moment: 'agent exited',
  momentOf: async (_stack, { slug }) => {
    const { State } = await new Docker().getContainer(containerName(slug, 'agent')).inspect();
    return Date.parse(State.FinishedAt);
  },
};

interface Side {
  readonly ms: number;
  /** As ModelClock has them. */
  readonly parts: readonly number[];
}

interface Turn {
  readonly names: readonly string[];
  readonly measured: Side;
  readonly floor: Side;
  readonly stages: readonly Stage[];
}

interface Measured {
  readonly first: Turn;
  readonly second: Turn;
}

/** What both sides ask and are asked with. */
interface World extends LifeWorld {
  readonly api: ModelApi;
  readonly repository: BareRepository;
  /** The product's own, of the first life. */
  prompts: { readonly first: string; readonly second: string } | undefined;
}

export async function turnFigures(rounds: number) {
  const api = await ModelApi.start({ address: await bridgeAddress() });
  return cleaningUp(
    () => api.close(),
    () =>
      withLives(
        UNTIL_EXIT,
        { env: { MODEL_ANTHROPIC_URL: api.url }, furnish: (stack) => furnish(stack, api) },
        async (lives) => {
          const repository = await bareRepository(lives.stack);
          const world: World = { ...lives, api, repository, prompts: undefined };
          // The first round warms everything up and is not counted.
          await measureOnce(world, 0);
          const measured: Measured[] = [];
          for (let round = 1; round <= rounds; round += 1) measured.push(await measureOnce(world, round));
          return {
            turn_overhead_ratio: figure(
              measured.map(({ first }) => first),
              1.3,
            ),
            resume_turn_ratio: figure(
              measured.map(({ second }) => second),
              1.8,
            ),
          };
        },
      ),
  );
}

async function furnish(stack: Stack, api: ModelApi): Promise<void> {
  await mkdir(join(stack.home, 'agents'));
  await writeFile(
    join(stack.home, 'agents', `${AGENT}.md`),
    `---\nprovider: ${claude.name}\n---\n\nYou do what the issue asks for.\n`,
  );
  const { code, stderr } = await stack.cli(
    ['secret', 'set', 'anthropic-api-key', '--host', api.authority],
    KEY,
  );
  if (code !== 0) throw new Error(`the key could not be set: ${stderr}`);
}

async function bareRepository({ gitea }: Stack): Promise<BareRepository> {
  const { alice, url } = gitea;
  const repo = await gitea.addRepository(alice, 'bare');
  const cloneUrl = `${url.replace('://', `://${alice.login}:${alice.token}@`)}/${repo}.git`;
  return { person: alice.on(repo), cloneUrl };
}

/** A whole life of the product and one of the floor, turn by turn; every other round begins with the floor. */
async function measureOnce(world: World, round: number): Promise<Measured> {
  const floorFirst = round % 2 === 1;
  const bare = await BareCli.prepare(claude, world.api.url, world.repository);
  return cleaningUp(
    () => bare.remove(),
    async () => {
      let life: BottleLife | undefined;
      const launch = async (): Promise<TimedTurn> => {
        const launched = await BottleLife.launch(world);
        ({ life } = launched);
        return launched.timed;
      };
      const resume = async (): Promise<TimedTurn> => {
        if (life === undefined) throw new Error('nothing was launched');
        return life.resume();
      };
      const first = await pair(world, floorFirst, 'first', launch, bare);
      const second = await pair(world, floorFirst, 'second', resume, bare);
      const history = (await life?.close()) ?? [];
      const { moment } = world.kind;
      return {
        first: { ...first.turn, stages: await traceTurn(first.timed, history, moment) },
        second: { ...second.turn, stages: await traceTurn(second.timed, history, moment) },
      };
    },
  );
}

async function pair(
  world: World,
  floorFirst: boolean,
  which: 'first' | 'second',
  live: () => Promise<TimedTurn>,
  bare: BareCli,
): Promise<{ readonly turn: Omit<Turn, 'stages'>; readonly timed: TimedTurn }> {
  const acts = which === 'first' ? FIRST_TURN : SECOND_TURN;
  const floorOnce = async (): Promise<Side> => {
    const clock = new ModelClock(acts);
    world.api.script(...clock.steps());
    const { beganAt, exitedAt } = await bare.turn(world.prompts?.[which] ?? '');
    world.api.check();
    return { ms: exitedAt - beganAt, parts: clock.parts(beganAt, exitedAt) };
  };
  const before = floorFirst ? await floorOnce() : undefined;
  const clock = new ModelClock(acts);
  world.api.script(...clock.steps());
  const timed = await live();
  world.api.check();
  const { postedAt, endedAt } = timed;
  const measured = { ms: endedAt - postedAt, parts: clock.parts(postedAt, endedAt) };
  await notePrompt(world, which, timed);
  const floor = before ?? (await floorOnce());
  return { turn: { names: clock.names, measured, floor }, timed };
}

/** The floor is asked with the same words. */
async function notePrompt(world: World, which: 'first' | 'second', { slug, turn }: TimedTurn): Promise<void> {
  const file = join(world.stack.home, 'state', slug, 'turns', String(turn), 'prompt.md');
  world.prompts = { first: '', second: '', ...world.prompts, [which]: await readFile(file, 'utf8') };
}

function figure(turns: readonly Turn[], goal: number): Figure {
  const rounds: Round[] = turns.map(({ measured, floor }) => ({ measured: measured.ms, floor: floor.ms }));
  return ratioFigure(rounds, {
    goal,
    better: 'less',
    unit: 'ms',
    notes: [describeParts(turns), describeStages(turns.map(({ stages }) => stages))],
  });
}

/** Medians of the parts, so that one sees where the product takes longer. */
function describeParts(turns: readonly Turn[]): string {
  const names = turns[0]?.names ?? [];
  const lines = names.map((name, index) => {
    const of = (side: 'measured' | 'floor'): number =>
      median(turns.map((turn) => turn[side].parts[index] ?? 0));
    const [measured, floor] = [of('measured'), of('floor')];
    const figures = [measured, floor, measured - floor].map((ms) => ms.toFixed(0).padStart(6));
    return `${figures.join(' ')}  ${name}`;
  });
  return ['parts, median ms: measured, floor, difference:', ...lines].join('\n');
}
