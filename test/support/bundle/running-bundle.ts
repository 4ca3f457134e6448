import { join } from 'node:path';
import type { RateLimits } from '../../../src/bundle/plane/rate-limit.js';
import { startBundle, type RunningBundle } from '../../../src/bundle/start-bundle.js';
import { RecordingForge } from './recording-forge.js';
import { RunDirectory } from './run-directory.js';
import { NO_BUDGET } from '../../../src/domain/run/model-use.js';
import { redact } from '../../../src/domain/text/redact.js';

export const TOKEN = 'token-of-the-test';
export const ISSUE = 12;
export const OWN_PR = 20;

/** The bundle's server in this process, over a recording forge; scope: issue 12 and PR 20. */
export class BundleHere {
  readonly run = new RunDirectory({ turn: 1, prNumber: OWN_PR }, TOKEN);
  readonly forge = new RecordingForge();
  /** What it logged: level and message. */
  readonly logged: [level: string, message: string, fields: unknown][] = [];
  #bundle: RunningBundle | undefined;

  async start(
    rateLimits: RateLimits = { callsPerMinute: 100_000, writesPerMinute: 100_000 },
    hasForge = true,
  ): Promise<void> {
    const { root, socket, out } = this.run;
    this.#bundle = await startBundle(
      {
        slug: 'dev-alice-demo-12-abcde',
        hasForge,
        forgeApi: 'http://127.0.0.1:9/api/v1',
        owner: 'alice',
        repo: 'demo',
        issue: ISSUE,
        pr: OWN_PR,
        turn: 1,
        goesOnWith: null,
        forgeTransportSocket: null,
        rateLimits,
        egressUploadBytes: 1024 * 1024,
        budget: NO_BUDGET,
        readers: null,
        prices: [],
        paths: {
          forgeSocket: socket,
          queueOut: out,
          queueIn: this.run.in,
          tokenFile: join(root, 'forge-token'),
          caFile: join(root, 'ca.pem'),
          egressSocket: join(root, 'sock', 'egress.sock'),
          credentialSocket: join(root, 'sock', 'credentials.sock'),
          currentConfig: join(root, 'config'),
          secrets: join(root, 'secrets'),
        },
      },
      {
        forge: () => Promise.resolve(this.forge),
        log: (level, message, fields) => this.logged.push([level, message, fields]),
        redact: redact([TOKEN], '[secret]'),
      },
    );
  }

  async stop(): Promise<void> {
    await this.#bundle?.stop();
    this.#bundle = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.run.remove();
  }
}
