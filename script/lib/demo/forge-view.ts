/** The forge as alice sees it, read through its API. */
import { numberIn, textIn, type Api } from '../../../test/support/gitea/api.js';
import { asObject, textOf } from './json.js';

export interface PullView {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly headSha: string;
  readonly merged: boolean;
  /** Login. */
  readonly author: string;
}

export interface CommitView {
  readonly sha: string;
  readonly title: string;
}

export class ForgeView {
  constructor(
    private readonly api: Api,
    private readonly repo: string,
  ) {}

  async pull(number: number): Promise<PullView> {
    const pull = await this.api.object('GET', `/repos/${this.repo}/pulls/${String(number)}`);
    return {
      number,
      title: textIn(pull, 'title'),
      url: textIn(pull, 'html_url'),
      headSha: textOf(asObject(pull['head'])?.['sha']),
      merged: pull['merged'] === true,
      author: textOf(asObject(pull['user'])?.['login']),
    };
  }

  async issue(number: number): Promise<{ readonly url: string; readonly state: string }> {
    const issue = await this.api.object('GET', `/repos/${this.repo}/issues/${String(number)}`);
    return { url: textIn(issue, 'html_url'), state: textIn(issue, 'state') };
  }

  async commitsOf(pull: number): Promise<CommitView[]> {
    const commits = await this.api.list(`/repos/${this.repo}/pulls/${String(pull)}/commits`);
    return commits.map((commit) => ({
      sha: textOf(commit['sha']),
      title: textOf(asObject(commit['commit'])?.['message']).split('\n')[0] ?? '',
    }));
  }

  /** The commit that the pull request stands at now, once it is another one than then and listed. */
  async newCommit({ number, headSha: before }: PullView): Promise<CommitView | undefined> {
    const { headSha } = await this.pull(number);
    if (headSha === before) return undefined;
    return (await this.commitsOf(number)).find(({ sha }) => sha === headSha);
  }

  /** Paths that a pull request changes; the first page of them. */
  async filesOf(pull: number): Promise<string[]> {
    const files = await this.api.list(`/repos/${this.repo}/pulls/${String(pull)}/files`);
    return files.map((file) => textOf(file['filename']));
  }

  async fileOnMain(path: string): Promise<{ readonly content: string; readonly size: number }> {
    const file = await this.api.object('GET', `/repos/${this.repo}/contents/${path}?ref=main`);
    const content = Buffer.from(textIn(file, 'content'), 'base64').toString('utf8');
    return { content, size: numberIn(file, 'size') };
  }
}
