/** A script of acts, deliveries and answers, and how it is played. */
import { seededRandom } from '../faults/seeded-faults.js';
import type { ForgeAct, Sent, Who } from './forge-play.js';
import type { Play, PlayLab } from './play-lab.js';

/** What one script may do between others: acts and answers also in the middle of the dispatcher's reads. */
export type Step =
  | { readonly do: 'act'; readonly issue: number; readonly act: ForgeAct; readonly afterMs: number }
  | { readonly do: 'answer'; readonly choice: number; readonly flavour: number }
  | { readonly do: 'deliver'; readonly share: number }
  /** `meanwhile` happens at the so-many-th call of the forge's API. */
  | { readonly do: 'dispatch'; readonly call: number; readonly meanwhile: readonly Step[] };

export interface Script {
  readonly seed: number;
  readonly opened: readonly { readonly readyMade: boolean; readonly who: Who }[];
  readonly steps: readonly Step[];
  /** Copies of each delivery, at most; 1 with `ordered` is what a forge sends when all goes well. */
  readonly copies: number;
  readonly ordered: boolean;
}

/** Plays it to its end, on a stage where others may have been played: everything is delivered and dispatched, and every activity has answered. */
export async function play(lab: PlayLab, { people, workflows }: Play, script: Script): Promise<void> {
  const random = seededRandom(script.seed);
  const pool: Sent[] = [];
  const reading = new Set<Promise<void>>();
  let seen = people.sent.length;

  /** What was sent since goes into the pool, as often as it will come, anywhere. */
  function collect(): void {
    for (; seen < people.sent.length; seen += 1) {
      const sent = people.sent[seen];
      if (sent === undefined) continue;
      const copies = script.ordered ? 1 : 1 + Math.floor(random() * script.copies);
      for (let copy = 0; copy < copies; copy += 1) {
        const at = script.ordered ? pool.length : Math.floor(random() * (pool.length + 1));
        pool.splice(at, 0, sent);
      }
    }
  }

  function now(step: Step): void {
    if (step.do === 'act') {
      lab.tick(1 + step.afterMs);
      const issue = people.issues[step.issue % people.issues.length];
      if (issue !== undefined) people.perform(issue, step.act);
    } else if (step.do === 'answer') {
      lab.tick(1);
      const answered = workflows.answer(step.choice, step.flavour).finally(() => reading.delete(answered));
      reading.add(answered);
    }
  }

  async function perform(step: Step): Promise<void> {
    now(step);
    if (step.do === 'deliver') {
      collect();
      lab.tick(1);
      await lab.accept(pool.splice(0, script.ordered ? pool.length : Math.ceil(pool.length * step.share)));
    } else if (step.do === 'dispatch') {
      let left = step.call;
      const meanwhile = [...step.meanwhile];
      people.forge.fault = () => {
        left -= 1;
        if (left > 0) return;
        const next = meanwhile.shift();
        if (next !== undefined) now(next);
      };
      await lab.dispatched();
      people.forge.fault = () => undefined;
      meanwhile.forEach(now);
    }
    await Promise.all(reading);
  }

  script.opened.forEach(({ readyMade, who }, index) => {
    people.open(people.issues[index] ?? 0, readyMade, who);
  });
  for (const step of script.steps) await perform(step);
  for (let round = 0; round < 400; round += 1) {
    collect();
    if (pool.length > 0 || lab.open > 0) {
      await perform({ do: 'deliver', share: random() });
      await perform({ do: 'dispatch', call: 0, meanwhile: [] });
    }
    const owed = workflows.owed().length;
    for (let index = 0; index < owed; index += 1)
      await perform({ do: 'answer', choice: Math.floor(random() * 8), flavour: Math.floor(random() * 4) });
    collect();
    if (pool.length === 0 && workflows.owed().length === 0) return;
  }
  throw new Error('it does not come to rest');
}
