/** `script/bench`: measures every figure, prints it with its floor, and ends with one line of JSON. */
import { parseArgs } from 'node:util';
import { bottleFigures, type BottleFigures } from './bottle-figures.js';
import { bundleMemory } from './bundle-memory.js';
import { cleanUpAll } from './clean-up.js';
import { egressRatio } from './egress.js';
import { describeFigure, type Figure } from './figure.js';
import { frozenCost, type FrozenFigures } from './frozen-cost.js';
import { idleMemory } from './idle-memory.js';
import { ingestRatio } from './ingest.js';
import { lifecycleRatio } from './lifecycle.js';
import { lookupRatio } from './lookup.js';
import { loopLag } from './loop-lag.js';
import { outageFigure } from './outage.js';
import { proposalsList } from './proposals-list.js';
import { apiList } from './api-list.js';
import { provenanceAppend, provenanceVerify } from './provenance.js';
import { sidecarRatio } from './sidecar.js';
import { turnFigures, type TurnFigures } from './turn-figures.js';
import { within } from './until.js';

const MINUTE = 60_000;
const BOTTLE_FIGURES = ['launch_overhead_ratio', 'resume_overhead_ratio', 'history_events_per_turn'] as const;
const TURN_FIGURES = ['turn_overhead_ratio', 'resume_turn_ratio'] as const;
const FROZEN_FIGURES = [
  'frozen_processes',
  'frozen_open_activities',
  'frozen_timers',
  'frozen_temporal_kib',
  'frozen_store_kib',
] as const;
const NAMES = [
  'ingest_ratio',
  'ingest_under_outage_p99_ms',
  'lookup_10k_ratio',
  'proposals_list_ms',
  'api_list_ms_p99',
  'provenance_append_ratio',
  'verify_rows_per_s',
  'sidecar_rpc_ratio',
  'egress_throughput_ratio',
  'lifecycle_ratio',
  ...BOTTLE_FIGURES,
  ...TURN_FIGURES,
  'bundle_rss_mib',
  'idle_rss_mib',
  'loop_lag_ms_p99',
  ...FROZEN_FIGURES,
] as const;
type Name = (typeof NAMES)[number];

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
  },
});

function wanted(): ReadonlySet<Name> {
  const unknown = options.only.filter((name) => !NAMES.some((known) => known === name));
  if (unknown.length > 0)
    throw new Error(`no such figure: ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  return new Set(NAMES.filter((name) => options.only.length === 0 || options.only.includes(name)));
}

function roundCount(): number {
  const rounds = Number(options.rounds);
  if (Number.isSafeInteger(rounds) && rounds >= 1 && rounds <= 100) return rounds;
  throw new Error(`--rounds takes a number from 1 to 100, not ${options.rounds}`);
}

async function ingest(): Promise<Partial<Record<Name, Figure>>> {
  const { value, floor, measured } = await ingestRatio();
  const parts = { measured, floor, unit: '/s' } as const;
  return { ingest_ratio: { value, goal: 0.8, unit: 'ratio', better: 'more', parts, rounds: [], notes: [] } };
}

async function main(): Promise<number> {
  const names = wanted();
  const rounds = roundCount();
  const figures: Partial<Record<Name, Figure>> = {};
  let missing = 0;
  const measure = async (
    own: readonly Name[],
    minutes: number,
    work: () => Promise<Partial<Record<Name, Figure>> | BottleFigures | FrozenFigures | TurnFigures>,
  ): Promise<void> => {
    const asked = own.filter((name) => names.has(name));
    if (asked.length === 0) return;
    console.error(`measuring ${asked.join(', ')} …`);
    try {
      const found: Partial<Record<Name, Figure>> = await within(asked.join(', '), minutes * MINUTE, work());
      for (const name of asked) {
        const figure = found[name];
        if (figure === undefined) continue;
        figures[name] = figure;
        console.log(describeFigure(name, figure));
      }
    } catch (error) {
      missing += asked.length;
      console.error(`${asked.join(', ')}: not measured:`, error);
    }
  };
  await measure(['ingest_ratio'], 5, ingest);
  await measure(['ingest_under_outage_p99_ms'], 8, async () => ({
    ingest_under_outage_p99_ms: await outageFigure(),
  }));
  await measure(['lookup_10k_ratio'], 2 + rounds, async () => ({
    lookup_10k_ratio: await lookupRatio(rounds),
  }));
  await measure(['proposals_list_ms'], 2 + rounds, async () => ({
    proposals_list_ms: await proposalsList(rounds),
  }));
  await measure(['api_list_ms_p99'], 2 + rounds, async () => ({ api_list_ms_p99: await apiList(rounds) }));
  await measure(['provenance_append_ratio'], 2 + rounds, async () => ({
    provenance_append_ratio: await provenanceAppend(rounds),
  }));
  await measure(['verify_rows_per_s'], 2 + rounds, async () => ({
    verify_rows_per_s: await provenanceVerify(rounds),
  }));
  await measure(['sidecar_rpc_ratio'], 2 + rounds, async () => ({
    sidecar_rpc_ratio: await sidecarRatio(rounds),
  }));
  await measure(['egress_throughput_ratio'], 2 + rounds, async () => ({
    egress_throughput_ratio: await egressRatio(rounds),
  }));
  await measure(['lifecycle_ratio'], 3 + rounds, async () => ({
    lifecycle_ratio: await lifecycleRatio(2 * rounds - 1),
  }));
  await measure(BOTTLE_FIGURES, 3 + 2 * rounds, () => bottleFigures(rounds));
  await measure(TURN_FIGURES, 4 + 2 * rounds, () => turnFigures(rounds));
  await measure(['bundle_rss_mib'], 2 + rounds, async () => ({ bundle_rss_mib: await bundleMemory(rounds) }));
  await measure(['idle_rss_mib'], 5, async () => ({ idle_rss_mib: await idleMemory() }));
  await measure(['loop_lag_ms_p99'], 15, async () => ({ loop_lag_ms_p99: await loopLag() }));
  await measure(FROZEN_FIGURES, 30, () => frozenCost());
  if (options.json) {
    const json = Object.entries(figures).map(([name, { value, goal, unit }]) => [
      name,
      { value: Number(value.toFixed(3)), goal, unit },
    ]);
    console.log(JSON.stringify(Object.fromEntries(json)));
  }
  return missing === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void cleanUpAll().then(() => process.exit(130));
  });
}
process.exitCode = await main();
