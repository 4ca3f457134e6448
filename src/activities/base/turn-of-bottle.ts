import type { TurnBottle } from '../../domain/bottle/bottle-setup.js';
import type { BottleManifest } from '../../domain/manifest/manifests.js';
import type { PreparedTurn } from '../../domain/run/events.js';
import type { HomePorts } from '../ports/home-ports.js';

type OfBottle = Pick<
  PreparedTurn,
  'promptRef' | 'provider' | 'image' | 'limits' | 'disk' | 'allowPaths' | 'bottleRef'
>;

/** What is the same in every turn of a bottle, whatever the turn is for; its texts are blobs then. */
export async function turnOfBottle(
  ports: Pick<HomePorts, 'blobs' | 'provider'>,
  bottle: BottleManifest,
  {
    provider,
    prompt,
    readers,
  }: Pick<TurnBottle, 'readers'> & { readonly provider: string; readonly prompt: string },
): Promise<OfBottle> {
  const { dockerfile, allow, routes, registries, setup, workspace, runtime, disk } = bottle;
  const turnBottle: TurnBottle = {
    ...{ dockerfile, allow, routes, registries, setup, workspace, runtime, readers },
  };
  const [promptRef, bottleRef] = await Promise.all([
    ports.blobs.put(prompt),
    ports.blobs.put(JSON.stringify(turnBottle)),
  ]);
  return {
    ...{ promptRef, provider, bottleRef },
    image: bottle.image ?? ports.provider(provider).image,
    limits: bottle.limits,
    // What most bottles do not say is not in the workflow's history either.
    ...(disk.bytes === null && disk.inodes === null ? {} : { disk }),
    allowPaths: bottle.publish.allowPaths,
  };
}
