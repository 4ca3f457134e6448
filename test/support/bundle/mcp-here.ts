import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import { serveHttpOnUnixSocket, type HttpUnixServer } from '../../../src/bundle/jsonrpc/http-unix.js';
import { mcpDoor, type McpDoorOptions } from '../../../src/bundle/mcp/mcp-door.js';
import { planeFixture } from './plane-fixture.js';
import { overUnix, type UnixAnswer, type UnixRequest } from './unix-http.js';

export const KEEP_ALIVE_MS = 30;
/** A whole request must have arrived by then; how long its answer takes is another matter. */
export const REQUEST_TIMEOUT_MS = 150;

/** The real MCP door on a socket of its own, over a recording forge. */
export class McpHere {
  readonly fixture = planeFixture();
  readonly faults: unknown[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'bundle-mcp-'));
  readonly socketPath = join(this.#directory, 'forge.sock');
  #server: HttpUnixServer | undefined;

  async serve(options: Partial<McpDoorOptions> = {}): Promise<void> {
    const door = mcpDoor({
      name: 'bottle',
      tools: FORGE_METHODS,
      plane: this.fixture.plane,
      instructions: '',
      redact: (text) => text,
      onFault: (fault) => this.faults.push(fault),
      messagesPerMinute: 1000,
      now: () => performance.now(),
      keepAliveMs: KEEP_ALIVE_MS,
      ...options,
    });
    this.#server = await serveHttpOnUnixSocket({
      socketPath: this.socketPath,
      posts: new Map([['/mcp', door]]),
      limits: { requestTimeoutMs: REQUEST_TIMEOUT_MS },
    });
  }

  post(body: unknown, options: UnixRequest = {}): Promise<UnixAnswer> {
    return overUnix(this.socketPath, { path: '/mcp', body: JSON.stringify(body), ...options });
  }

  /** Makes open_pr wait until what is returned is called. */
  hold(): () => void {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    this.fixture.publish = async () => {
      await held;
      return { kind: 'published', pr: 21, url: 'http://forge/21', head: 'c'.repeat(40) };
    };
    return finish;
  }

  async remove(): Promise<void> {
    await this.#server?.close(100);
    rmSync(this.#directory, { recursive: true });
  }
}
