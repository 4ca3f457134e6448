import type { AgentStanding } from '../../domain/agent/agent-standing.js';
import type { ListenAddress } from '../../domain/base/listen-address.js';
import type { DeliveryWatch } from '../../domain/forge/delivery-watch.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { AdminTarget, ForgeAdmin, RepoTarget } from '../../domain/forge/forge-admin.js';
import type { RightsProblem } from '../doctor/probes.js';

/** What `forge setup` needs of the world; src/wiring/forge-setup.ts makes the real one. */
export interface ForgeSetupWorld {
  readonly settings: ForgeSetupSettings;
  /** @param token an administrator's; `null`: the bot's own. Errors: `InvalidInputError` without that one. */
  admin(token: string | null): ForgeAdmin;
  /** An administrator's token from a file that only its owner can read. Errors: `InvalidInputError`. */
  readAdminToken(file: string): string;
  /** Whether `FORGE_REPOS` serves the repository, or any of the organization. */
  serves(target: AdminTarget): boolean;
  /** The manifests in effect, of bottles their names; a broken one is a problem of its own. */
  manifests(): Promise<{
    readonly agents: readonly AgentStanding[];
    readonly bottles: readonly string[];
    readonly problems: readonly string[];
  }>;
  /** `null` when there is none yet. Errors: `InvalidInputError` for one that cannot be used. */
  webhookSecret(): string | null;
  createWebhookSecret(): { readonly value: string; readonly file: string };
  /** What is wrong with the bot's tokens. @param onlyReads asks nothing that looks like a change, and finds less. */
  botRights(
    repos: readonly RepoTarget[],
    onlyReads: boolean,
  ): Promise<{ readonly login: string | null; readonly problems: readonly RightsProblem[] }>;
  watchDeliveries(secret: string): Promise<DeliveryWatch>;
}

export interface ForgeSetupSettings {
  readonly forgeApi: string;
  /** `FORGE_REPOS` */
  readonly repos: readonly string[];
  /** `FORGE_PUBLISH` */
  readonly publish: PublishPlace;
  /** `WEBHOOK_PUBLIC_URL` */
  readonly publicUrl: string | null;
  /** `WEBHOOK_LISTEN` */
  readonly listen: ListenAddress;
}
