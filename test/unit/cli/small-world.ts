import { runCli } from '../../../src/cli/run-cli.js';
import type { CliDeps } from '../../../src/cli/base/deps.js';
import type { Orchestrator } from '../../../src/cli/base/orchestrator.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A world in which every use of something a test did not hand in is a failure of the test. */
export function cliWith(given: {
  readonly deps?: Partial<CliDeps>;
  readonly orchestrator?: Partial<Orchestrator>;
  readonly terminal?: ReturnType<CliDeps['io']['terminal']>;
  readonly stdin?: { readonly isTTY: boolean; readonly text?: string; readonly answer?: string };
}): { readonly run: (...args: string[]) => Promise<Ran>; readonly closed: () => number } {
  let closed = 0;
  const orchestrator = only<Orchestrator>({
    pauses: () => Promise.resolve([]),
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
    ...given.orchestrator,
  });
  return {
    closed: () => closed,
    run: async (...args) => {
      const out: string[] = [];
      const err: string[] = [];
      const deps = only<CliDeps>({
        version: '1.2.3',
        io: {
          stdout: { write: (text) => out.push(text) },
          stderr: { write: (text) => err.push(text) },
          terminal: () => given.terminal ?? null,
          stdin: {
            isTTY: given.stdin?.isTTY ?? false,
            read: () =>
              given.stdin?.text === undefined
                ? unexpected('a read of standard input')
                : Promise.resolve(new TextEncoder().encode(given.stdin.text)),
            ask: () =>
              given.stdin?.answer === undefined
                ? unexpected('a question')
                : Promise.resolve(given.stdin.answer),
          },
        },
        orchestrator: () => Promise.resolve(orchestrator),
        proposals: () => Promise.resolve(orchestrator),
        doctorChecks: () => [],
        config: () => ({ effective: [], warnings: [] }),
        interrupted: () => new AbortController().signal,
        forgePages: () => ({ kind: 'gitea', webUrl: 'https://git.example/code' }),
        ...given.deps,
      });
      const code = await runCli(deps, args);
      return { code, stdout: out.join(''), stderr: err.join('') };
    },
  };
}

/** Has what is given; a call of anything else is a failure of the test. */
function only<T extends object>(given: Partial<T>): T {
  return new Proxy(given, {
    get: (target, name): unknown =>
      // What has a `then` is taken for a promise.
      name in target || name === 'then' ? Reflect.get(target, name) : () => unexpected(String(name)),
  }) as T;
}

function unexpected(what: string): Promise<never> {
  return Promise.reject(new Error(`unexpected ${what}`));
}
