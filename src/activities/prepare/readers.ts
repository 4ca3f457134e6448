import type { AccessSettings } from '../../domain/forge/access.js';
import type { Forge } from '../../domain/forge/forge.js';
import type { BottleManifest } from '../../domain/manifest/manifests.js';

/**
 * Whose texts the sidecar hands to the agent in a turn, as its bottle's `forge_read` has it: logins, the bot's own among
 * them, for all agents write under it; `null` for everybody's.
 */
export async function readersOf(
  forge: Pick<Forge, 'readWriters' | 'readOrgMembers' | 'whoAmI'>,
  { org, wake }: AccessSettings,
  { forgeRead }: Pick<BottleManifest, 'forgeRead'>,
): Promise<readonly string[] | null> {
  if (forgeRead === 'all' || wake === 'anyone') return null;
  const [logins, bot] = await Promise.all([
    wake === 'org' ? forge.readOrgMembers(org) : forge.readWriters(),
    forge.whoAmI(),
  ]);
  return [...new Set([...logins, bot.login])].sort();
}
