import { createHash } from 'node:crypto';

/** An HTML comment that forges keep and pages don't show: what a comment of ours ends in, to be found again. */
export function hiddenMark(marker: string): string {
  return `<!-- bot-bottle:${createHash('sha256').update(marker).digest('hex').slice(0, 40)} -->`;
}

/** Only the ending counts, since what stands before it may be an agent's. */
export function endsWithMark(body: string, mark: string): boolean {
  return body.trimEnd().endsWith(mark);
}
