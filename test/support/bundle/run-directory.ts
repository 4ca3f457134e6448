import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  QUEUE_FILE_NAME,
  type OperationLine,
  type QueueAnswer,
  type QueueBody,
  type TextVerdict,
} from '../../../src/domain/run/queue.js';
import { until } from './until.js';

/** What the worker prepares for a bundle, in a directory of the test's own. */
export class RunDirectory {
  readonly root = mkdtempSync(join(tmpdir(), 'bundle-test-'));
  readonly out = join(this.root, 'out');
  readonly in = join(this.root, 'in');
  readonly socket = join(this.root, 'sock', 'forge.sock');
  /** What a text that is about to be posted is answered; `undefined`: nothing. */
  textVerdict: TextVerdict | undefined = { kind: 'clean' };
  readonly #answering = setInterval(() => {
    // Some tests take the directory away.
    if (existsSync(this.out)) this.#answerTexts();
  }, 5);

  constructor(turn: unknown = { turn: 1, prNumber: null }, token = 'token-of-the-test') {
    for (const name of ['out', 'in', 'sock']) mkdirSync(join(this.root, name));
    writeFileSync(join(this.root, 'forge-token'), `${token}\n`);
    this.writeTurn(turn);
  }

  writeTurn(turn: unknown): void {
    writeFileSync(join(this.in, 'turn.json'), JSON.stringify(turn));
  }

  /** What the worker takes away meanwhile is left out. */
  messages(): { readonly name: string; readonly id: string; readonly body: QueueBody }[] {
    return readdirSync(this.out)
      .filter((name) => QUEUE_FILE_NAME.test(name))
      .sort()
      .flatMap((name) => {
        const text = textUnlessGone(join(this.out, name));
        return text === undefined
          ? []
          : [{ name, id: name.slice(13, -5), body: JSON.parse(text) as QueueBody }];
      });
  }

  lines(): OperationLine[] {
    return this.messages().flatMap(({ body }) => (body.kind === 'operations' ? body.lines : []));
  }

  /** The n-th request to publish, as soon as it is there. */
  async request(index: number): Promise<{ readonly id: string; readonly body: QueueBody }> {
    return until(
      `open_pr request ${String(index)}`,
      () => this.messages().filter(({ body }) => body.kind === 'open_pr')[index],
    );
  }

  /** The n-th proposal, as soon as it is there. */
  async proposal(index: number): Promise<{ readonly id: string; readonly body: QueueBody }> {
    return until(
      `proposal ${String(index)}`,
      () => this.messages().filter(({ body }) => body.kind === 'proposal')[index],
    );
  }

  answer(requestId: string, result: QueueAnswer['result']): void {
    const temporary = join(this.in, `.${requestId}`);
    writeFileSync(temporary, JSON.stringify({ requestId, result }));
    renameSync(temporary, join(this.in, `${requestId}.json`));
  }

  #answerTexts(): void {
    const verdict = this.textVerdict;
    if (verdict === undefined) return;
    for (const { name, id, body } of this.messages()) {
      if (body.kind !== 'text') continue;
      this.answer(id, verdict);
      rmSync(join(this.out, name), { force: true });
    }
  }

  remove(): void {
    clearInterval(this.#answering);
    rmSync(this.root, { recursive: true, force: true });
  }
}

function textUnlessGone(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
