/** What the forge has of a life. */
import { textIn, numberIn } from '../gitea/api.js';
import type { Stack } from '../stack/stack.js';

const PAGE = 50;

/** Numbers of the pull requests from branches of the issue's runs, open or not. */
export async function pullsOf({ gitea }: Stack, issue: number): Promise<number[]> {
  const found: number[] = [];
  for (let page = 1; ; page += 1) {
    const query = `state=all&limit=${String(PAGE)}&page=${String(page)}`;
    const pulls = await gitea.alice.api.list(`/repos/alice/demo/pulls?${query}`);
    for (const pull of pulls) {
      const { ref } = pull['head'] as { readonly ref: string };
      if (ref.startsWith(`bot-bottle/${String(issue)}-`)) found.push(numberIn(pull, 'number'));
    }
    if (pulls.length < PAGE) return found.sort((a, b) => a - b);
  }
}

/** What the bot wrote below the issue. */
export async function postsOf({ gitea }: Stack, issue: number): Promise<string[]> {
  const comments = await gitea.alice.api.list(`/repos/alice/demo/issues/${String(issue)}/comments`);
  return comments
    .filter((comment) => textIn(comment['user'] as Record<string, unknown>, 'login') === gitea.bot.login)
    .map((comment) => textIn(comment, 'body'));
}
