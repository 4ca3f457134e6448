/** What the stub of the model says in the two turns that are measured, and when each of its requests came. */
import { say, use, type Answer, type Step } from '../../test/support/model-api/script.js';

/** Before each answer: a real model takes seconds. */
const THINKING_MS = 150;

interface Act {
  readonly name: string;
  readonly answer: Answer;
}

/** Any issue will do, and the first is there in every round. */
const ISSUE = 1;

export const FIRST_TURN: readonly Act[] = [
  forge('read_issue', { number: ISSUE }),
  shell('git log --oneline -5; ls -la'),
  shell('cat greet.sh README.md'),
  shell(`printf '#!/bin/sh\\necho "hello, \${1:-world}"\\n' > greet.sh`),
  shell('sh greet.sh alice; sh greet.sh'),
  forge('read_comments', { number: ISSUE }),
  shell(`printf 'test "$(sh greet.sh alice)" = "hello, alice"\\n' > test.sh && sh test.sh`),
  shell('git status --short; git diff'),
  shell(`git add -A && git commit -qm 'Greet people by name' && git show --stat`),
  forge('open_pr', { title: 'Greet people by name', body: 'As the issue asks.' }),
  forge('signal_done', { status: 'success', summary: 'greet.sh greets people by name' }),
  { name: 'the end', answer: say('It is done.', { waitMs: THINKING_MS }) },
];

export const SECOND_TURN: readonly Act[] = [
  forge('read_comments', { number: ISSUE }),
  shell('git log --oneline -5; git status --short'),
  shell('cat greet.sh test.sh'),
  shell(`printf 'test "$(sh greet.sh)" = "hello, world"\\n' >> test.sh`),
  shell('sh test.sh'),
  shell(`echo '# Says hello.' >> greet.sh`),
  shell('sh greet.sh bob; sh test.sh'),
  shell('git diff'),
  shell(`git add -A && git commit -qm 'Test the greeting of the world'`),
  shell('git show --stat'),
  forge('signal_done', { status: 'success', summary: 'one more test' }),
  { name: 'the end', answer: say('It is done.', { waitMs: THINKING_MS }) },
];

/** One run of a turn: when each request came, epoch milliseconds. */
export class ModelClock {
  readonly arrivals: number[] = [];

  constructor(readonly acts: readonly Act[]) {}

  steps(): Step[] {
    return this.acts.map(({ answer }) => ({
      expect: () => {
        this.arrivals.push(Date.now());
      },
      reply: answer,
    }));
  }

  /**
   * Milliseconds up to the first request, from each request to the next, and from the last to the end.
   * Errors: when not all of them came.
   */
  parts(beganAt: number, endedAt: number): readonly number[] {
    if (this.arrivals.length !== this.acts.length)
      throw new Error('the model was not asked for all of its turn');
    const moments = [beganAt, ...this.arrivals, endedAt];
    return moments.slice(1).map((at, index) => at - (moments[index] ?? at));
  }

  /** What each of the parts is. */
  get names(): readonly string[] {
    return ['to the first request', ...this.acts.map(({ name }) => name)];
  }
}

function shell(command: string): Act {
  const answer = use('Bash', { command, description: 'Work' }, { waitMs: THINKING_MS });
  return { name: `Bash: ${command.slice(0, 24)}`, answer };
}

function forge(tool: string, input: Readonly<Record<string, unknown>>): Act {
  return { name: tool, answer: use(tool, input, { waitMs: THINKING_MS }) };
}
