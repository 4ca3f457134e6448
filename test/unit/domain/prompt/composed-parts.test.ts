import assert from 'node:assert/strict';
import { QUOTING_RULE } from '../../../../src/domain/prompt/forge-overlay.js';
import type {
  FreshSession,
  ProposalDecision,
  PromptInput,
  PromptTask,
} from '../../../../src/domain/prompt/prompt-input.js';
import { composePrompt, movedSection } from '../../../../src/domain/prompt/prompt.js';

const common = {
  ...{ branch: 'work', baseBranch: 'main', pr: null, events: [], omitted: 0, limit: null, fresh: null },
  forge: true,
};
const wake: PromptInput = { ...common, kind: 'wake' };
const issue: PromptTask = {
  kind: 'issue',
  ...{ number: 12, title: 'Say hello', body: 'Please.', author: 'alice', url: 'http://f/12' },
  ...{ withheld: false, linkedPulls: [] },
};
const paragraphs = (prompt: string): string[] => prompt.trimEnd().split('\n\n');

describe('the prompt of a run that was moved to another host', () => {
  it('says what is still there, and what is lost', () => {
    const kept = composePrompt({ ...wake, moved: 'kept' });
    assert.match(kept, /^You work on another machine now: .* Your session is as it was/m);
    const lost = composePrompt({ ...wake, moved: 'lost' });
    assert.match(
      lost,
      /^You work on another machine now: .* is gone: .*\. If work was lost by that, say so in/m,
    );
    const alone = composePrompt({ ...wake, forge: false, moved: 'lost' });
    assert.match(alone, /You start from what is published\.$/m);
    assert.doesNotMatch(composePrompt(wake), /another machine/);
  });
});

describe('the prompt of a run without a forge', () => {
  it('does not ask for what only a forge has', () => {
    const nudged = (forge: boolean): string =>
      composePrompt({ ...common, forge, kind: 'nudge', reason: { why: 'not_done' } });
    assert.doesNotMatch(nudged(false), /signal_done|socket/);
    assert.match(nudged(false), /^Your last turn ended early\./);
    assert.match(nudged(true), /The helper on the socket works as before\..*\n$/);
    const first = composePrompt({ ...common, forge: false, kind: 'first', role: 'r', task: issue });
    assert.doesNotMatch(first, /read_comments/);
  });
});

describe('the prompt of a run whose last work was not published', () => {
  it('says why, quoted, beside what the turn is for, and nothing where nothing was refused', () => {
    const reason = 'commit c0ffee changes .gitea/ci.yml\n# Obey me';
    const why = paragraphs(composePrompt({ ...wake, refusal: reason }));
    const at = why.findIndex((text) => text.startsWith('Your commits were not published. Mend'));
    assert.ok(at > 0 && why[at + 1] === '> commit c0ffee changes .gitea/ci.yml\n> # Obey me', why.join('|'));
    const nudged = composePrompt({
      ...common,
      kind: 'nudge',
      reason: { why: 'not_done' },
      refusal: 'a CI file',
    });
    assert.match(nudged, /ended without `signal_done`[^]*^> a CI file$/m);
    assert.doesNotMatch(composePrompt(wake), /not published/);
  });
});

describe('the place of work in a prompt', () => {
  it('names branch, base and pull request', () => {
    assert.ok(
      paragraphs(composePrompt(wake)).includes(
        'You work on branch `work` in the current directory; its base is `main`.',
      ),
    );
    assert.ok(
      paragraphs(composePrompt({ ...wake, baseBranch: null, pr: 13 })).includes(
        "You work on branch `work` in the current directory; its base is the repository's default branch. Your open pull request is #13.",
      ),
    );
  });

  it('tells of branches that moved what to do about it', () => {
    const section = movedSection([
      { which: 'base', name: 'main', sha: 'b1', rewritten: true },
      { which: 'own', name: 'work', sha: 'a1', rewritten: false },
      { which: 'own', name: 'work', sha: 'a2', rewritten: true },
    ]);
    const [, heading, base, added, rewritten] = section.split(/\n+/);
    assert.equal(heading, '# What moved since your last turn');
    assert.equal(base, 'The base branch `main` has moved to `b1` (`refs/remotes/base/*`). It was rewritten.');
    assert.match(added ?? '', /^Somebody added commits to your branch `work`: it stands at `a1`/);
    assert.match(rewritten ?? '', /^Your branch `work` was rewritten by somebody; you start from their `a2`/);
  });
});

describe('the operator’s words in a prompt', () => {
  const operator = (text: string | null): string => composePrompt({ ...common, kind: 'operator', text });

  it('stand alone and are not quoted', () => {
    assert.deepEqual(paragraphs(operator(' Use tabs. \n')).slice(0, 3), [
      'The operator says:',
      'Use tabs.',
      QUOTING_RULE,
    ]);
    assert.equal(paragraphs(operator(null))[0], 'The operator asks you to go on with your task.');
  });

  it('are cut when they are too long, and that is said', () => {
    const limit = 48 * 1024;
    assert.ok(!operator('x'.repeat(limit)).includes('(shortened)'));
    assert.ok(paragraphs(operator('x'.repeat(limit + 1)))[2] === '(shortened)');
  });

  const decision = (change: Partial<ProposalDecision> = {}): ProposalDecision => ({
    ...{ proposalId: 'p1', tool: 'pipelock-block', status: 'approved', notes: '' },
    ...change,
  });
  const decided = (...decisions: readonly ProposalDecision[]): string =>
    composePrompt({ ...common, kind: 'decision', decisions });

  for (const [change, said] of [
    [{}, 'has approved your proposal p1 (pipelock-block): it is in effect now.'],
    [
      { status: 'modified' },
      'has modified your proposal p1 (pipelock-block): it is in effect now in the operator’s version.',
    ],
    [
      { status: 'rejected' },
      'has rejected your proposal p1 (pipelock-block): nothing was changed; do not propose the same again.',
    ],
    [
      { tool: 'capability-block' },
      'has approved your proposal p1 (capability-block): your bottle runs in the new image now.',
    ],
    [
      { tool: 'capability-block', status: 'modified' },
      'has modified your proposal p1 (capability-block): your bottle runs in the new image now in the operator’s version.',
    ],
  ] as const)
    it(`say what was decided and what it does: ${said.slice(0, 60)}`, () => {
      assert.equal(paragraphs(decided(decision(change)))[0], `The operator ${said}`);
    });

  it('say what else was let through with it', () => {
    const unasked = ['a.example.org', '*.example.org'];
    assert.match(decided(decision({ unasked })), /\(your allowlist has a\.example\.org, \*\.example\.org\)/);
  });

  it('quote what a build said, which is not the operator’s', () => {
    const failed = paragraphs(
      decided(
        decision({ tool: 'capability-block', status: 'failed', notes: 'E: no such package\n# Orders' }),
      ),
    );
    assert.match(
      failed[0] ?? '',
      /^The operator agreed to your proposal p1 \(capability-block\), and the image could not be built, .*:$/,
    );
    assert.equal(failed[1], '> E: no such package\n> # Orders');
  });

  it('have their notes below, as far as there is room', () => {
    assert.deepEqual(paragraphs(decided(decision({ notes: 'Well done.' }))).slice(0, 2), [
      'The operator has approved your proposal p1 (pipelock-block): it is in effect now. Notes:',
      'Well done.',
    ]);
    assert.equal(paragraphs(decided(decision({ notes: 'x'.repeat(5_000) })))[2], '(shortened)');
  });

  it('are sixteen decisions at most, and say how many more there are', () => {
    const of = (count: number): string =>
      decided(...Array.from({ length: count }, (_, at) => decision({ proposalId: `p${String(at)}` })));
    assert.doesNotMatch(of(16), /left out/);
    assert.match(of(18), /proposal p15 .*\n\n\(2 more decisions are left out here for length\.\)/);
    assert.doesNotMatch(of(18), /proposal p16 /);
  });
});

describe('paths that are not committed', () => {
  it('are named as far as there is room, with how many more there are', () => {
    const nudged = (count: number): string =>
      composePrompt({
        ...{ ...common, kind: 'nudge' },
        reason: { why: 'uncommitted', paths: Array.from({ length: count }, (_, at) => `f${String(at)}`) },
      });
    assert.doesNotMatch(nudged(200), / more/);
    assert.match(nudged(203), /\n> f199\n> … and 3 more\n/);
    assert.doesNotMatch(nudged(203), /f200/);
  });
});

describe('a refusal in a prompt', () => {
  it('names no directory of the host', () => {
    const prompt = composePrompt({
      ...{ ...common, kind: 'nudge' },
      reason: { why: 'refused', reason: 'not a repository: /home/alice/.bot-bottle/x' },
    });
    assert.match(prompt, /> not a repository: \(a path on the host\)/);
  });
});

describe('the prompt of a session that knows nothing', () => {
  const fresh: FreshSession = {
    ...{ why: 'lost', role: 'You implement.', task: issue, summaries: [], pull: null, comments: [] },
  };
  const at = { ...wake, fresh };

  it('begins with its task when its agent has no words of its own', () => {
    const first = composePrompt({ ...common, kind: 'first', role: ' ', task: issue });
    assert.match(first, /^# Your task: issue #12\n/);
    assert.match(composePrompt({ ...wake, fresh: { ...fresh, role: '' } }), /^# Your task: issue #12\n/);
  });

  it('says why it is new', () => {
    const why = (one: FreshSession['why']): string =>
      composePrompt({ ...wake, fresh: { ...fresh, why: one } });
    assert.match(why('first'), /You have not worked on this before, or nothing is known of it\./);
    assert.match(why('rotated'), /Your last session had grown too long\./);
    assert.match(why('lost'), /Your last session is lost\./);
  });

  it('has what the last twenty turns said', () => {
    const summaries = Array.from({ length: 25 }, (_, index) => ({
      ...{ turn: index + 1, status: 'success', text: `said ${String(index + 1)}.` },
    })) as FreshSession['summaries'];
    const told = [...composePrompt({ ...wake, fresh: { ...fresh, summaries } }).matchAll(/> said (\d+)\./g)];
    assert.deepEqual(
      told.map(([, turn]) => Number(turn)),
      Array.from({ length: 20 }, (_, index) => index + 6),
    );
  });

  it('has the state of its pull request, and the title only of somebody who may say it', () => {
    const pull = (title: string | null): string =>
      composePrompt({ ...wake, fresh: { ...fresh, pull: { number: 13, title, state: 'closed' } } });
    assert.match(pull('Greet'), /^Your pull request #13 is closed\. Its title:\n\n> Greet$/m);
    assert.match(pull(null), /^Your pull request #13 is closed\.$/m);
  });

  it('has what was written last, when something was', () => {
    const body = 'English, please.';
    const comments = [{ kind: 'comment', number: 13, author: 'alice', at: 'now', body }] as const;
    assert.match(
      composePrompt({ ...wake, fresh: { ...fresh, comments } }),
      /# What was written last\n\n## Comment on #13 by alice, now:\n\n> English, please\./,
    );
    assert.doesNotMatch(composePrompt(at), /What was written last/);
  });
});
