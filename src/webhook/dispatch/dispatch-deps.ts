import type { AccessSettings } from '../../domain/forge/access.js';
import type { Agents } from '../../domain/agent/agents.js';
import type { Place, SubjectRef } from '../../domain/forge/issue.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { ForgeFor } from '../../domain/forge/forge.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import type { Acknowledger } from './acknowledge.js';
import type { WorkflowGateway } from './gateway.js';
import type { RunLookup } from './run-lookup.js';

export interface DispatchSettings extends AccessSettings {
  /** `FORGE_WAKE_ON` */
  readonly wakeOn: 'every' | 'mention';
  /** `FORGE_WAKE_IGNORE`, in lower case. */
  readonly ignored: ReadonlySet<string>;
  /** `FORGE_PUBLISH` */
  readonly publish: PublishPlace;
}

export interface HandleDeps {
  readonly forgeFor: ForgeFor;
  readonly runs: RunLookup;
  readonly agents: Agents;
  readonly gateway: WorkflowGateway;
  readonly acknowledger: Acknowledger;
  readonly settings: DispatchSettings;
  readonly serves: (place: Place) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The run a hint is about, and the name its workflow has or would have. */
export interface Addressee {
  readonly row: ForgeStateRow | undefined;
  readonly identity: SubjectRef;
}
