/** `script/bench`: measures every figure, prints it with its floor, and ends with one line of JSON. */
import { parseArgs } from 'node:util';
import { bottleFigures } from './lives/bottle-figures.js';
import { bundleMemory } from './sidecar/bundle-memory.js';
import { cleanUpAll } from './base/clean-up.js';
import { egressRatio } from './sidecar/egress.js';
import { describeFigure, type Figure } from './base/figure.js';
import { frozenCost } from './lives/frozen-cost.js';
import { idleMemory } from './lives/idle-memory.js';
import { ingestRatio } from './webhook/ingest.js';
import { lifecycleRatio } from './lives/lifecycle.js';
import { lookupRatio } from './store/lookup.js';
import { loopLag } from './gate/loop-lag.js';
import { outageFigure } from './webhook/outage.js';
import { proposalsList } from './store/proposals-list.js';
import { apiList } from './store/api-list.js';
import { provenanceAppend, provenanceVerify } from './store/provenance.js';
import { sidecarRatio } from './sidecar/sidecar.js';
import { turnFigures } from './lives/turn-figures.js';
import { within } from './base/until.js';

const MINUTE = 60_000;

interface Measurement {
  readonly names: readonly string[];
  readonly measure: (rounds: number) => Promise<Readonly<Record<string, Figure>>>;
  /** How long it may take: by itself, and for each round. */
  readonly minutes: readonly [number, number];
}

const MEASUREMENTS: readonly Measurement[] = [
  one('ingest_ratio', () => ingestRatio(), [5, 0]),
  one('ingest_under_outage_p99_ms', () => outageFigure(), [8, 0]),
  one('lookup_10k_ratio', lookupRatio),
  one('proposals_list_ms', proposalsList),
  one('api_list_ms_p99', apiList),
  one('provenance_append_ratio', provenanceAppend),
  one('verify_rows_per_s', provenanceVerify),
  one('sidecar_rpc_ratio', sidecarRatio),
  one('egress_throughput_ratio', egressRatio),
  one('lifecycle_ratio', (rounds) => lifecycleRatio(2 * rounds - 1), [3, 1]),
  {
    names: ['launch_overhead_ratio', 'resume_overhead_ratio', 'history_events_per_turn'],
    measure: bottleFigures,
    minutes: [3, 2],
  },
  { names: ['turn_overhead_ratio', 'resume_turn_ratio'], measure: turnFigures, minutes: [4, 2] },
  one('bundle_rss_mib', bundleMemory),
  one('idle_rss_mib', () => idleMemory(), [5, 0]),
  one('loop_lag_ms_p99', () => loopLag(), [15, 0]),
  {
    names: [
      'frozen_processes',
      'frozen_open_activities',
      'frozen_timers',
      'frozen_temporal_kib',
      'frozen_store_kib',
    ],
    measure: () => frozenCost(),
    minutes: [30, 0],
  },
];

function one(
  name: string,
  measure: (rounds: number) => Promise<Figure>,
  minutes: Measurement['minutes'] = [2, 1],
): Measurement {
  return { names: [name], measure: async (rounds) => ({ [name]: await measure(rounds) }), minutes };
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
  },
});

/** Which figures are asked for: a test of a name. */
function wanted(): (name: string) => boolean {
  const names = MEASUREMENTS.flatMap((measurement) => measurement.names);
  const unknown = options.only.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such figure: ${unknown.join(', ')}; there are ${names.join(', ')}`);
  return (name) => options.only.length === 0 || options.only.includes(name);
}

function roundCount(): number {
  const rounds = Number(options.rounds);
  if (Number.isSafeInteger(rounds) && rounds >= 1 && rounds <= 100) return rounds;
  throw new Error(`--rounds takes a number from 1 to 100, not ${options.rounds}`);
}

async function main(): Promise<number> {
  const isWanted = wanted();
  const rounds = roundCount();
  const figures: Record<string, Figure> = {};
  let missing = 0;
  for (const { names, measure, minutes } of MEASUREMENTS) {
    const asked = names.filter(isWanted);
    if (asked.length === 0) continue;
    console.error(`measuring ${asked.join(', ')} …`);
    try {
      const limitMs = (minutes[0] + minutes[1] * rounds) * MINUTE;
      const found = await within(asked.join(', '), limitMs, measure(rounds));
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
  }
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
