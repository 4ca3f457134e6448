/** The API of a home, as `bot-bottle api` serves it, without a Temporal. */
import { apiTokensFile } from '../../../src/adapters/files/api-tokens-file.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { createLogger } from '../../../src/config/log.js';
import type { ApiScope } from '../../../src/domain/api/api-token.js';
import { startApi, type RunningApi } from '../../../src/wiring/api/start-api.js';

export interface ServedOptions {
  /** Where Temporal would be. */
  readonly temporal?: string;
  readonly requestsPerMinute?: number;
}

export class ServedHome {
  private constructor(
    private readonly home: string,
    private readonly api: RunningApi,
  ) {}

  static async start(home: string, options: ServedOptions = {}): Promise<ServedHome> {
    const { temporal = '127.0.0.1:9', requestsPerMinute = 1_000_000 } = options;
    const { config } = loadConfig({ BOT_BOTTLE_HOME: home, TEMPORAL_ADDRESS: temporal });
    const log = createLogger({ level: 'silent', name: 'api', secrets: () => new Set() });
    const address = { host: '127.0.0.1', port: 0 };
    return new ServedHome(home, await startApi({ ...config, API_LISTEN: address }, log, requestsPerMinute));
  }

  get url(): string {
    return `${this.api.url}/api/v1`;
  }

  async token(
    scope: ApiScope,
    lastsMs = 3_600_000,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const { token, secret } = await apiTokensFile(this.home, Date.now).create({ scope, name: '', lastsMs });
    return { id: token.id, secret };
  }

  async revoke(id: string): Promise<void> {
    await apiTokensFile(this.home, Date.now).revoke(id);
  }

  stop(): Promise<void> {
    return this.api.stop();
  }
}
