/** The real stack that lives are measured on: forge, Temporal server, webhook, worker; gone afterwards. */
import { dockerBottleRuntime } from '../../src/adapters/docker/docker-runtime.js';
import { Stack } from '../../test/support/stack/stack.js';
import { preparePerson, type LifeKind, type LifeWorld } from './bottle-life.js';
import { cleaningUp } from '../base/clean-up.js';
import { DeliveryRelay } from './delivery-relay.js';

export interface LifeStackOptions {
  /** More settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the home needs before anything runs. */
  readonly furnish?: (stack: Stack) => Promise<void>;
}

export async function withLives<T>(
  kind: LifeKind,
  { env = {}, furnish }: LifeStackOptions,
  work: (world: LifeWorld) => Promise<T>,
): Promise<T> {
  const stack = await Stack.prepare({ env });
  const cleanUp = async (): Promise<void> => {
    await stack.stopUp();
    await removeRuns(kind.agent);
    await stack.remove();
  };
  return cleaningUp(cleanUp, async () => {
    await furnish?.(stack);
    await stack.start();
    const client = await stack.client();
    const relay = await DeliveryRelay.start(stack.webhookUrl);
    try {
      const person = await preparePerson(stack, relay);
      return await work({ stack, client, person, relay, kind });
    } finally {
      await relay.close();
      await client.connection.close();
    }
  });
}

/** What a life that failed half-way has left. The owner of these runs is nobody but the benchmark. */
async function removeRuns(agent: string): Promise<void> {
  const runtime = dockerBottleRuntime();
  const slugs = (await runtime.list())
    .map(({ slug }) => slug)
    .filter((slug) => slug.startsWith(`${agent}-alice-bench-`));
  for (const slug of new Set(slugs)) {
    for (const role of ['agent', 'bundle'] as const) await runtime.remove(slug, role);
    await runtime.removeVolumes(slug);
  }
}
