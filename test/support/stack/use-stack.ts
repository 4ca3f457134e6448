import type { Client } from '@temporalio/client';
import { bottleScript } from './bottle-script.js';
import { Life } from './life.js';
import { Stack, type StackOptions } from './stack.js';
import { tearDown } from './tear-down.js';

export interface StackInUse {
  /** Once the tests run. */
  readonly stack: () => Stack;
  /** Of its Temporal; closed with the stack. */
  readonly client: () => Client;
  /** Opens an issue with the trigger. @param labels the trigger's, and perhaps a bottle's */
  readonly open: (title: string, text: string, labels?: readonly string[]) => Promise<Life>;
  /** Opens an issue with the trigger, whose text is a script for the scripted agent. */
  readonly trigger: (title: string, ...script: readonly string[]) => Promise<Life>;
  /** The life of an issue or pull request that is there, in a repository `owner/name`. */
  readonly lifeOf: (number: number, repository?: string) => Life;
}

export interface StartedStack {
  readonly stack: Stack;
  readonly client: Client;
}

/**
 * A stack of the suite that this is called in: up before its tests, and after them every life is destroyed and nothing
 * of it is left.
 * @param options made when the suite begins, where they are known only then
 * @param furnish is called between the forge's start and that of `up`
 */
export function useStack(
  options: StackOptions | (() => StackOptions | Promise<StackOptions>) = {},
  furnish?: (stack: Stack) => Promise<void>,
): StackInUse {
  let prepared: Stack | undefined;
  let client: Client | undefined;
  const inUse = stackInUse(async () => {
    prepared = await Stack.prepare(typeof options === 'function' ? await options() : options);
    await furnish?.(prepared);
    await prepared.start();
    client = await prepared.client();
    return { stack: prepared, client };
  });
  after(async () => {
    if (prepared !== undefined) await tearDown(prepared, client);
  });
  return inUse;
}

/** What the tests of a suite have of a stack that `start` brings before them. */
export function stackInUse(start: () => Promise<StartedStack>): StackInUse {
  let started: StartedStack | undefined;
  before(async () => {
    started = await start();
  });
  const known = (): StartedStack => {
    if (started === undefined) throw new Error('the stack is not up yet');
    return started;
  };
  const stack = (): Stack => known().stack;
  const client = (): Client => known().client;
  const open: StackInUse['open'] = (title, text, labels) =>
    Life.trigger(stack(), client(), title, text, labels);
  return {
    stack,
    client,
    open,
    trigger: (title, ...script) => open(title, bottleScript(...script)),
    lifeOf: (number, repository) => Life.of(stack(), client(), number, repository),
  };
}
