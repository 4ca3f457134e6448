import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressNetwork } from '../../../src/bundle/egress/egress-options.js';
import { openEgressPlane, type EgressPlane } from '../../../src/bundle/egress/egress-plane.js';
import type { EgressLimits } from '../../../src/bundle/egress/limits.js';
import type { EgressReport } from '../../../src/bundle/egress/report.js';
import type { PriceTable } from '../../../src/domain/egress/model-prices.js';
import type { Route } from '../../../src/domain/egress/route.js';
import { NO_BUDGET, type ModelBudget } from '../../../src/domain/run/model-use.js';
import { until } from '../bundle/until.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MIB = 1024 * 1024;

/** A route that lets everything through; tests say what differs. */
export function routeTo(upstream: string, more: Partial<Route> = {}): Route {
  return {
    name: 'files',
    upstream,
    methods: ['GET', 'HEAD'],
    paths: ['/'],
    auth: null,
    baseUrlEnv: null,
    keyEnv: null,
    rewrite: false,
    model: null,
    ...more,
  };
}

/** The egress plane in this process, on sockets and with files of the test's own; names are what the test says. */
export class EgressHere {
  readonly dir = mkdtempSync(join(tmpdir(), 'egress-test-'));
  readonly socket = join(this.dir, 'egress.sock');
  readonly credentials = join(this.dir, 'credentials.sock');
  readonly caFile = join(this.dir, 'ca.pem');
  /** Addresses by name; a list of lists is answered one after the other. */
  readonly names = new Map<string, string[]>();
  /** Names that were looked up for the agent, in order. */
  readonly lookups: string[] = [];
  readonly logged: LogLine[] = [];
  readonly reports: EgressReport[] = [];
  #plane: EgressPlane | undefined;
  #replaced = 0;

  constructor() {
    for (const name of ['config', 'secrets']) mkdirSync(join(this.dir, name));
    this.allow();
    this.routes();
  }

  async start(
    more: {
      readonly network?: Partial<EgressNetwork>;
      readonly limits?: Partial<EgressLimits>;
      readonly uploadBytes?: number;
      readonly budget?: ModelBudget;
      readonly prices?: PriceTable;
    } = {},
  ): Promise<void> {
    this.#plane = await openEgressPlane({
      paths: {
        egressSocket: this.socket,
        credentialSocket: this.credentials,
        config: join(this.dir, 'config'),
        secrets: join(this.dir, 'secrets'),
        caFile: this.caFile,
      },
      uploadBytes: more.uploadBytes ?? 64 * MIB,
      budget: more.budget ?? NO_BUDGET,
      prices: more.prices ?? [],
      report: (report) => {
        this.reports.push(report);
        return Promise.resolve();
      },
      log: (level, message, fields = {}) => this.logged.push({ level, message, fields }),
      now: Date.now,
      network: {
        resolve: (host) => {
          this.lookups.push(host);
          return Promise.resolve(this.names.get(host) ?? []);
        },
        // What is served for these tests is on loopback, and nothing else there may be reached.
        policy: (address) => address === '127.0.0.1',
        upstreamPolicy: () => true,
        ...more.network,
      },
      ...(more.limits === undefined ? {} : { limits: more.limits }),
    });
  }

  /** Replaced as the worker replaces it: by rename. */
  write(name: string, text: string): void {
    this.#replaced += 1;
    const temporary = join(this.dir, `new-${String(this.#replaced)}`);
    writeFileSync(temporary, text);
    renameSync(temporary, join(this.dir, 'config', name));
  }

  allow(...lines: readonly string[]): void {
    this.write('allowlist', lines.map((line) => `${line}\n`).join(''));
  }

  routes(...routes: readonly Route[]): void {
    this.write('routes.json', JSON.stringify({ routes }));
  }

  secret(name: string, value: string): void {
    writeFileSync(join(this.dir, 'secrets', name), value);
  }

  /** The lines of the log about connections and requests, as soon as there are so many. */
  async lines(count: number): Promise<readonly LogLine['fields'][]> {
    const ours = (): LogLine[] => this.logged.filter(({ message }) => message === 'egress');
    await until(`${String(count)} lines of the log`, () => (ours().length >= count ? true : undefined));
    return ours().map(({ fields }) => fields);
  }

  async stop(): Promise<void> {
    await this.#plane?.close();
    this.#plane = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** One for each test. */
export function withEgress(): () => EgressHere {
  let egress: EgressHere;
  beforeEach(() => (egress = new EgressHere()));
  afterEach(() => egress.remove());
  return () => egress;
}
