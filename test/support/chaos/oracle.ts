/** What must be so when everything was struck and has come to rest. Pure. */

/** What one life came to, as forge, files and rows tell it. */
export interface LifeEvidence {
  readonly life: number;
  /** `null`: not even the issue was made. */
  readonly issue: number | null;
  /** Runs that were begun for the issue. */
  readonly slugs: readonly string[];
  /** Its workflow has returned, and its row says destroyed. */
  readonly ended: boolean;
  /** Pull requests from the run's branches, open ones or not. */
  readonly pulls: readonly number[];
  readonly comments: readonly CommentEvidence[];
  /** Words that may be posted once at most, and more than once were. */
  readonly postedTwice: readonly string[];
  /** Containers, volumes, images' names, directories of the run that are still there. */
  readonly left: readonly string[];
  /** What the person gave up on. */
  readonly trouble: readonly string[];
}

export interface CommentEvidence {
  readonly comment: number;
  /** Turns whose agent was told of it. */
  readonly toldIn: readonly number[];
  readonly answered: boolean;
}

/** What is wrong with a life, a line each; empty when nothing is. */
export function violationsOf(evidence: LifeEvidence): string[] {
  const { issue, slugs, ended, pulls, comments, postedTwice, left, trouble } = evidence;
  const wrong = [...trouble];
  if (issue === null) return [...wrong, 'it has not begun'];
  if (!ended) wrong.push('it has not ended');
  if (slugs.length !== 1) wrong.push(`${String(slugs.length)} runs: ${slugs.join(', ')}`);
  if (pulls.length !== 1) wrong.push(`${String(pulls.length)} pull requests: ${pulls.join(', ')}`);
  for (const { comment, toldIn, answered } of comments) {
    const name = `comment ${String(comment)}`;
    if (toldIn.length === 0) wrong.push(`${name} was never told`);
    if (toldIn.length > 1) wrong.push(`${name} was told in turns ${toldIn.join(', ')}`);
    if (toldIn.length > 0 && !answered) wrong.push(`${name} was not answered`);
  }
  wrong.push(...postedTwice.map((word) => `posted more than once: ${word}`));
  wrong.push(...left.map((name) => `left behind: ${name}`));
  return wrong;
}
