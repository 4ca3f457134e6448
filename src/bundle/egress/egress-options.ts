import type { BundleLog } from '../base/bundle-log.js';
import type { AddressPolicy, Resolve } from './addresses.js';
import type { EgressLimits } from './limits.js';
import type { EgressReport } from './report.js';
import type { PriceTable } from '../../domain/egress/model-prices.js';
import type { ModelBudget } from '../../domain/run/model-use.js';

export interface EgressPlaneOptions {
  readonly paths: {
    readonly egressSocket: string;
    readonly credentialSocket: string;
    /** Directory with `allowlist` and `routes.json`. */
    readonly config: string;
    /** Directory with the routes' secrets, a file each. */
    readonly secrets: string;
    /** Set when the file is there. */
    readonly caFile: string;
  };
  /** Through the forward proxy, in this process's life. */
  readonly uploadBytes: number;
  /** What may be used of models, in this process's life. */
  readonly budget: ModelBudget;
  /** The operator's prices of models. */
  readonly prices: PriceTable;
  /** Makes what was counted one durable message to the worker. */
  readonly report: (report: EgressReport) => Promise<void>;
  readonly log: BundleLog;
  readonly now: () => number;
  /** Tests let names be where they need them. */
  readonly network?: Partial<EgressNetwork>;
  readonly limits?: Partial<EgressLimits>;
}

export interface EgressNetwork {
  readonly resolve: Resolve;
  readonly policy: AddressPolicy;
  readonly upstreamResolve: Resolve;
  readonly upstreamPolicy: AddressPolicy;
}
