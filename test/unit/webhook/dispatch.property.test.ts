import assert from 'node:assert/strict';
import fc from 'fast-check';
import { livingOf } from '../../../src/workflows/run/phase.js';
import type { ForgeAct, Sent, Who } from '../../support/webhook/forge-play.js';
import { plays } from '../../support/scale/plays.js';
import { PlayLab } from '../../support/webhook/play-lab.js';
import type { Play } from '../../support/webhook/play-lab.js';
import { checkPlay } from '../../support/webhook/play-model.js';
import { play } from '../../support/webhook/play-script.js';
import type { Script, Step } from '../../support/webhook/play-script.js';

/** Others, for whoever looks for a fault: `DISPATCH_SEED`. */
const RUNS = plays(500);
const SEED = Number(process.env['DISPATCH_SEED'] ?? 20_240_229);

const who = fc.constantFrom<Who>('alice', 'alice', 'alice', 'dave', 'dave', 'mallory', 'renovate', 'bot');
const writer = fc.constantFrom<Who>('alice', 'alice', 'alice', 'dave', 'renovate', 'bot');
const agent = fc.constantFrom('coder', 'coder', 'coder', 'coder', 'tester', 'ghost');
const login = fc.constantFrom('bot' as const, 'bot' as const, 'bot' as const, 'alice' as const);

const act: fc.Arbitrary<ForgeAct> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('label' as const, 'unlabel' as const), agent, who: writer }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('labelAgain' as const), agent, who: writer }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('assign' as const, 'unassign' as const),
      login,
      who: writer,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('close' as const, 'reopen' as const, 'reopen' as const),
      who,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'comment' as const,
        'comment' as const,
        'edit' as const,
        'deleteComment' as const,
      ),
      who,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('editTitle' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'closePr' as const,
        'mergePr' as const,
        'reopenPr' as const,
        'commentPr' as const,
        'pushPr' as const,
      ),
      who,
    }),
  },
);
const acted = fc.record({
  do: fc.constant('act' as const),
  issue: fc.nat(1),
  act,
  afterMs: fc.constantFrom(0, 0, 100, 700, 1_000, 2_500, 20_000),
});
const answered = fc.record({ do: fc.constant('answer' as const), choice: fc.nat(7), flavour: fc.nat(15) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: acted },
  { weight: 7, arbitrary: answered },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), share: fc.constantFrom(0.3, 0.6, 1, 1) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('dispatch' as const),
      call: fc.integer({ min: 1, max: 12 }),
      meanwhile: fc.array<Step>(fc.oneof(acted, answered), { maxLength: 3 }),
    }),
  },
);
const script: fc.Arbitrary<Script> = fc.record({
  seed: fc.integer(),
  opened: fc.array(
    fc.record({
      readyMade: fc.constantFrom(true, true, true, false),
      who: fc.constantFrom<Who>('alice', 'alice', 'alice', 'dave', 'dave', 'mallory'),
    }),
    {
      minLength: 1,
      maxLength: 2,
    },
  ),
  steps: fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }),
  copies: fc.constantFrom(1, 3, 5),
  ordered: fc.constant(false),
});

/** Files grow, and rows are never deleted: a new lab now and then. */
const PLAYS_IN_A_LAB = 500;

describe('deliveries in disorder', function () {
  this.timeout(900_000);
  let lab: PlayLab | undefined;
  let count = 0;

  async function stage(opened: number): Promise<{ lab: PlayLab; scene: Play }> {
    if (count % PLAYS_IN_A_LAB === 0) {
      await lab?.close();
      lab = undefined;
    }
    lab ??= await PlayLab.make();
    count += 1;
    const first = count * 100 + 1;
    return { lab, scene: await lab.newPlay(Array.from({ length: opened }, (_, index) => first + index)) };
  }
  after(() => lab?.close());

  it(`end in what the forge shows, whatever their order and number (${String(RUNS)} sequences)`, async () => {
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const { lab: its, scene } = await stage(one.opened.length);
        await play(its, scene, one);
        if (its.errors.length > 0) throw its.errors[0];
        checkPlay(scene);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  /** What is left of a scene, without the names that differ from scene to scene. */
  const rest = ({ people, workflows }: Play): unknown =>
    people.issues.map((issue) => {
      const state = workflows.state(issue);
      const life = state === undefined ? null : livingOf(state);
      const { agent, actor } = life?.trigger ?? {};
      return [agent, actor, life?.stage.kind === 'frozen' && life.stage.reason === 'untriggered'];
    });
  const LAUNCHED: Script = {
    seed: 1,
    opened: [{ readyMade: true, who: 'alice' }],
    steps: [],
    copies: 1,
    ordered: true,
  };
  const late = fc.record({
    seed: fc.integer(),
    steps: fc.array<Step>(acted, { minLength: 1, maxLength: 12, size: 'max' }),
  });

  it(`end in the same in order and once, as permuted and up to five-fold (${String(RUNS / 10)} sequences)`, async () => {
    await fc.assert(
      fc.asyncProperty(late, async ({ seed, steps }) => {
        const ends: unknown[] = [];
        for (const ordered of [true, false]) {
          const { lab: its, scene } = await stage(1);
          await play(its, scene, LAUNCHED);
          // Everything is done before anything of it is delivered: what is read is the same in both.
          await play(its, scene, { seed, opened: [], steps, copies: 5, ordered });
          ends.push(rest(scene));
        }
        assert.deepEqual(ends[1], ends[0]);
      }),
      { numRuns: Math.ceil(RUNS / 10), seed: SEED },
    );
  });

  describe('delivered again', () => {
    const day = 24 * 3_600_000;

    /** A run that was launched, told of a comment, and whose pull request was then closed unmerged, or not. */
    async function lived(isClosed: boolean): Promise<{ lab: PlayLab; scene: Play }> {
      const { lab: its, scene } = await stage(1);
      await play(its, scene, LAUNCHED);
      const said: Step = { do: 'act', issue: 0, act: { kind: 'comment', who: 'dave' }, afterMs: 2_000 };
      await play(its, scene, { ...LAUNCHED, opened: [], steps: [said] });
      const [issue = 0] = scene.people.issues;
      scene.people.openPr(issue, `bot-bottle/${String(issue)}-12345`);
      const closed: Step = { do: 'act', issue: 0, act: { kind: 'closePr', who: 'alice' }, afterMs: 2_000 };
      await play(its, scene, { ...LAUNCHED, opened: [], steps: isClosed ? [closed] : [] });
      assert.equal(scene.workflows.lives.length, 1);
      assert.equal(scene.workflows.prompts.length, 2);
      assert.equal(scene.workflows.running.size, isClosed ? 0 : 1);
      return { lab: its, scene };
    }

    async function again(its: PlayLab, scene: Play, sent: readonly Sent[]): Promise<string[]> {
      const verdicts = await its.accept(sent);
      await its.dispatched();
      assert.equal(scene.workflows.lives.length, 1, 'nothing is started');
      assert.equal(scene.workflows.prompts.length, 2);
      assert.deepEqual(scene.workflows.owed(), [], 'and nothing is asked for');
      return verdicts;
    }

    for (const isClosed of [true, false]) {
      const what = isClosed ? 'an ended run' : 'a living run';
      it(`has no effect on ${what}: the body is known, whatever its delivery id`, async () => {
        const { lab: its, scene } = await lived(isClosed);
        its.tick(3_000);
        const verdicts = await again(its, scene, scene.people.sent);
        assert.deepEqual(new Set(verdicts), new Set(['duplicate']));
      });

      it(`has no effect on ${what} within the same second, when a body is taken once more`, async () => {
        const { lab: its, scene } = await lived(isClosed);
        assert.ok((await again(its, scene, scene.people.sent)).includes('accepted'));
      });

      it(`has no effect on ${what} after 30 days`, async () => {
        const { lab: its, scene } = await lived(isClosed);
        its.tick(30 * day);
        assert.equal(its.inbox.prune(its.now()), 0, 'it is known for longer than that');
        assert.deepEqual(new Set(await again(its, scene, scene.people.sent)), new Set(['duplicate']));
      });

      it(`leads to a fresh read and nothing else of ${what} when the inbox has forgotten it`, async () => {
        const { lab: its, scene } = await lived(isClosed);
        its.tick(91 * day);
        its.inbox.prune(its.now());
        scene.people.forge.calls.length = 0;
        assert.ok((await again(its, scene, scene.people.sent)).includes('accepted'));
        assert.ok(scene.people.forge.calls.some((call) => call.startsWith('timeline')));
      });
    }
  });
});
