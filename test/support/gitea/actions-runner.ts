import { textIn } from './api.js';
import type { Person } from './person.js';

const SERVICE = '/api/actions/runner.v1.RunnerService';

/** A runner of Gitea Actions that runs nothing: it takes a job and says what a real one would, over the same protocol. */
export class ActionsRunner {
  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Of the person's repository, for jobs that ask for `ubuntu-latest`. */
  static async register(owner: Person): Promise<ActionsRunner> {
    const path = `/repos/${owner.repo}/actions/runners/registration-token`;
    const token = textIn(await owner.api.object('POST', path), 'token');
    const nobody = new ActionsRunner(owner.url, {});
    const request = { name: 'r', token, version: '0', labels: ['ubuntu-latest'] };
    const { runner } = (await nobody.call('Register', request)) as {
      runner: { uuid: string; token: string };
    };
    return new ActionsRunner(owner.url, { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token });
  }

  /** Takes the next job, prints these lines and fails. */
  async failNext(lines: readonly string[]): Promise<void> {
    let task: { readonly id: string } | undefined;
    for (const end = Date.now() + 20_000; task === undefined;) {
      if (Date.now() > end) throw new Error('no job came');
      task = ((await this.call('FetchTask', { tasksVersion: '0' })) as { task?: { id: string } }).task;
      if (task === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const time = new Date().toISOString();
    const rows = lines.map((content) => ({ time, content }));
    await this.call('UpdateLog', { taskId: task.id, index: '0', rows, noMore: true });
    const state = { id: task.id, result: 'RESULT_FAILURE', startedAt: time, stoppedAt: time };
    await this.call('UpdateTask', { state });
  }

  private async call(method: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.url}${SERVICE}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: ${String(response.status)} ${text.slice(0, 300)}`);
    return JSON.parse(text) as unknown;
  }
}
