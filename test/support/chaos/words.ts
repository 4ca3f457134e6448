/** What the person writes, and by which words the oracle finds it again: in prompts, and in the agent's answers. */
import { bottleScript } from '../stack/bottle-script.js';
import type { LifePlan } from './plan.js';

/** The word of a comment: in exactly one prompt. */
export function askWord(life: number, comment: number): string {
  return `ask-${String(life)}-${String(comment)}`;
}

/** What the agent answers to it; it may do so more than once, when it is asked again. */
export function answerWord(life: number, comment: number): string {
  return `answer-${String(life)}-${String(comment)}`;
}

/** Posted by the script of the issue (0) or of a comment, each of which is told once: so posted once at most. */
export function onceWord(life: number, script: number): string {
  return `once-${String(life)}-${String(script)}`;
}

/** Whether the word stands there, and not only a longer one. */
export function hasWord(text: string, word: string): boolean {
  return countWord(text, word) > 0;
}

export function countWord(text: string, word: string): number {
  return text.match(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'g'))?.length ?? 0;
}

export function issueBody({ life, workSeconds: [before, after] }: LifePlan, issue: number): string {
  const name = `life ${String(life)}`;
  return bottleScript(
    `sleep ${String(before)}`,
    `write ${fileOf(life)} The work of ${name}`,
    `commit Begin ${name}`,
    `comment ${String(issue)} ${onceWord(life, 0)}`,
    `sleep ${String(after)}`,
    `open_pr The work of ${name} | Please merge`,
    `done success ${name}`,
  );
}

/**
 * A comment and the script that answers it.
 * @param open numbers of the comments that have no answer yet: whoever is asked last answers for all of them, as only the
 * last script of a prompt counts
 */
export function commentBody(
  { life, workSeconds: [before, after] }: LifePlan,
  issue: number,
  comment: number,
  text: string,
  open: readonly number[],
): string {
  const words = [onceWord(life, comment), ...[...open, comment].map((one) => answerWord(life, one))];
  const script = bottleScript(
    `sleep ${String(before)}`,
    `append ${fileOf(life)} Comment ${String(comment)}`,
    `commit Comment ${String(comment)}`,
    `comment ${String(issue)} ${words.join(' ')}`,
    `sleep ${String(after)}`,
    `done success comment ${String(comment)}`,
  );
  return `${askWord(life, comment)}: ${text}\n\n${script}`;
}

/** Its own for each life: two pull requests can both be merged. */
function fileOf(life: number): string {
  return `life-${String(life)}.md`;
}
