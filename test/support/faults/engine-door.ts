import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const USUAL = 'unix:///var/run/docker.sock';

/**
 * A socket of its own in front of the engine's. Closed, it is an engine that is away to whoever came through it: open
 * connections break, new ones are refused. The engine itself, which other tests use, goes on.
 */
export class EngineDoor {
  readonly #dir = mkdtempSync(join(tmpdir(), 'bb-door-'));
  readonly #sockets = new Set<Socket>();
  readonly #engine = (process.env['DOCKER_HOST'] ?? USUAL).replace(/^unix:\/\//, '');
  #server: Server | undefined;

  /** For `DOCKER_HOST`. */
  get url(): string {
    return `unix://${this.#path}`;
  }

  /** Nothing, where it is open. */
  async open(): Promise<void> {
    if (this.#server !== undefined) return;
    // Half of a hijacked connection may end before the other.
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: this.#engine, allowHalfOpen: true });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    }).listen(this.#path);
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.#dir, { recursive: true });
  }

  get #path(): string {
    return join(this.#dir, 'engine.sock');
  }
}
