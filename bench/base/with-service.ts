import { once } from 'node:events';
import type { Stack } from '../../test/support/stack/stack.js';
import { cleaningUp } from './clean-up.js';
import { until } from './until.js';

/**
 * A service of the product for as long as the work takes; it is stopped as an operator would. Errors: when it ends before.
 * @param script what is run with Node
 */
export async function withService<T>(
  stack: Stack,
  args: readonly string[],
  script: string,
  work: () => Promise<T>,
): Promise<T> {
  const child = stack.service(args, {}, script);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return cleaningUp(end, async () => {
    const died = once(child, 'exit').then(() => {
      throw new Error(`${script} ended:\n${stack.output.slice(-4000)}`);
    });
    died.catch(() => undefined);
    return Promise.race([work(), died]);
  });
}

/** The product's webhook, once it answers. */
export function withWebhook<T>(stack: Stack, work: () => Promise<T>): Promise<T> {
  return withService(stack, ['webhook'], 'src/cli.ts', async () => {
    const healthz = new URL('/healthz', stack.webhookUrl);
    await until('the webhook', async () => {
      const answer = await fetch(healthz).catch(() => undefined);
      return answer?.ok === true ? true : undefined;
    });
    return work();
  });
}
