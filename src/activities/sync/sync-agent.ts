import { NO_FILES } from '../../domain/agent/agents.js';
import { DEFAULT_BOTTLE } from '../../domain/manifest/manifest-agent.js';
import { WHOLE_REPOSITORY } from '../../domain/bottle/bottle-setup.js';
import { PLACEHOLDER_KEY } from '../../domain/egress/route.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { BottleManifest } from '../../domain/manifest/manifests.js';
import type { PreparedTurn } from '../../domain/run/events.js';
import type { SyncOrder, SyncRefs } from '../../domain/sync/sync.js';
import { SYNC_SETUP, syncPrompt } from '../../domain/sync/sync-texts.js';
import { turnOfBottle } from '../base/turn-of-bottle.js';
import type { SyncPorts } from './sync-ports.js';

/** Who merges, unless a manifest says who. */
const OPENCODE = 'opencode';
const GIT_USER = { name: 'bot-bottle sync', email: 'sync@bot-bottle.invalid' };

/** Who does the merge, and in what. */
interface SyncAgent extends Pick<PreparedTurn, 'provider' | 'model' | 'variant' | 'env' | 'gitUser'> {
  readonly bottle: BottleManifest;
  readonly bottleNames: readonly string[];
  /** The manifest's text. */
  readonly role: string | null;
}

/**
 * The turn as any other is prepared, for the fork's default branch. Errors: `InvalidInputError` for an `opencode.env`, a
 * manifest or a model that cannot be used.
 * @param refs with what the start lacks
 */
export async function prepareSyncTurn(
  ports: SyncPorts,
  order: SyncOrder,
  refs: SyncRefs,
): Promise<PreparedTurn> {
  const { bottle, role, ...agent } = await (order.manifest === null
    ? opencodeAgent(ports, order)
    : manifestAgent(ports, order, order.manifest));
  // A merge needs the whole history.
  const merging = { ...bottle, setup: SYNC_SETUP + (bottle.setup ?? ''), workspace: WHOLE_REPOSITORY };
  const prompt = syncPrompt(order, refs, role);
  const { provider } = agent;
  return {
    ...agent,
    ...(await turnOfBottle(ports.host, merging, { provider, prompt, readers: null })),
    branch: refs.branch,
    ...{ readKeys: [], baseBranches: [], drafts: false },
  };
}

/** The four names are all of the environment that the operator's file leads to; the key is a placeholder [S3]. */
async function opencodeAgent(ports: SyncPorts, { opencode }: SyncOrder): Promise<SyncAgent> {
  const { values } = ports.readOpencodeEnv(opencode);
  const { OPENCODE_MODEL: model, OPENCODE_VARIANT: variant } = values;
  // Says which models there are.
  ports.host.provider(OPENCODE).access(model);
  const bottle = await ports.manifests.bottle([DEFAULT_BOTTLE]);
  if (bottle === undefined) throw new InvalidInputError(`there is no bottle "${DEFAULT_BOTTLE}"`);
  return {
    ...{ provider: OPENCODE, model, variant, gitUser: GIT_USER },
    env: { ...values, OPENCODE_API_KEY: PLACEHOLDER_KEY },
    ...{ bottle, bottleNames: [DEFAULT_BOTTLE], role: null },
  };
}

async function manifestAgent(ports: SyncPorts, { fork }: SyncOrder, name: string): Promise<SyncAgent> {
  const found = await ports.agents.findOrRefuse({
    ...{ name, bottles: [], repo: fork },
    // What a fork brings along is upstream's word.
    forge: NO_FILES,
  });
  if (found.kind === 'refused') throw new InvalidInputError(found.reason);
  const { agent, provider, bottle, bottleNames } = found;
  const { model, variant, gitUser, prompt } = agent;
  return {
    ...{ provider, model, gitUser, bottle, bottleNames, env: bottle.env, role: prompt },
    ...(variant === null ? {} : { variant }),
  };
}
