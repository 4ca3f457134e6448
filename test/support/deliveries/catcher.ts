import http from 'node:http';
import { closeServer, listenLocally, urlOf } from '../http/loopback.js';

export interface Caught {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawBody: Buffer;
}

/** Takes every request on a loopback port, answers 200 and keeps it. */
export class Catcher {
  readonly #caught: Caught[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.#caught.push({
        path: request.url ?? '',
        headers: request.headers,
        rawBody: Buffer.concat(chunks),
      });
      response.end();
      for (const wake of this.#waiting) wake();
    });
  });

  private constructor() {}

  static async start(): Promise<Catcher> {
    const catcher = new Catcher();
    await listenLocally(catcher.#server);
    return catcher;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  /** What came to this path so far. */
  at(path: string): readonly Caught[] {
    return this.#caught.filter((one) => one.path === path);
  }

  /** Resolves with `true` once `count` requests came to `path`, with `false` after the limit. */
  async reaches(path: string, count: number, limitMs: number): Promise<boolean> {
    const enough = (): boolean => this.at(path).length >= count;
    if (enough()) return true;
    return await new Promise<boolean>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(enough());
      };
      const look = (): void => {
        if (enough()) end();
      };
      const timer = setTimeout(end, limitMs);
      this.#waiting.add(look);
    });
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }
}
