import { createCli } from '../../../src/cli/create-cli.js';
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
  const orchestrator: Orchestrator = {
    start: () => unexpected('start'),
    startLocal: () => unexpected('startLocal'),
    resume: () => unexpected('resume'),
    command: () => unexpected('command'),
    status: () => unexpected('status'),
    run: () => unexpected('run'),
    timeline: () => unexpected('timeline'),
    overview: () => unexpected('overview'),
    live: () => unexpected('live'),
    rejections: () => unexpected('rejections'),
    commands: () => unexpected('commands'),
    pause: () => unexpected('pause'),
    pauses: () => Promise.resolve([]),
    proposals: () => unexpected('proposals'),
    waiting: () => unexpected('waiting'),
    findProposals: () => unexpected('findProposals'),
    proposal: () => unexpected('proposal'),
    bottlesOf: () => unexpected('bottlesOf'),
    decide: () => unexpected('decide'),
    waitForTurn: () => unexpected('waitForTurn'),
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
    ...given.orchestrator,
  };
  return {
    closed: () => closed,
    run: async (...args) => {
      const out: string[] = [];
      const err: string[] = [];
      const deps: CliDeps = {
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
        serve: () => unexpected('serve'),
        sync: () => unexpected('sync'),
        temporalSetup: () => unexpected('temporalSetup'),
        notifyTest: () => unexpected('notifyTest'),
        doctorChecks: () => [],
        janitor: () => unexpected('janitor'),
        forgeSetup: () => {
          throw new Error('unexpected forgeSetup');
        },
        config: () => ({ effective: [], warnings: [] }),
        setSecret: () => {
          throw new Error('unexpected setSecret');
        },
        provenance: () => {
          throw new Error('unexpected provenance');
        },
        apiTokens: () => {
          throw new Error('unexpected apiTokens');
        },
        edit: () => unexpected('edit'),
        dashboard: () => unexpected('dashboard'),
        manifests: () => {
          throw new Error('unexpected manifests');
        },
        bottleEditor: () => {
          throw new Error('unexpected bottleEditor');
        },
        logs: () => {
          throw new Error('unexpected logs');
        },
        interrupted: () => new AbortController().signal,
        forgePages: () => ({ kind: 'gitea', webUrl: 'https://git.example/code' }),
        ...given.deps,
      };
      const code = await createCli(deps).run(args);
      return { code, stdout: out.join(''), stderr: err.join('') };
    },
  };
}

function unexpected(what: string): Promise<never> {
  return Promise.reject(new Error(`unexpected ${what}`));
}
