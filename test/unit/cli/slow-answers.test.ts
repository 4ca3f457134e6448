import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ForgeSetupWorld } from '../../../src/cli/base/setup-world.js';
import { cliWith } from './small-world.js';

describe('a command whose answer is slow to come', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  const accepted = { kind: 'accepted', slug: 'coder-a-b-1-k3v9q', phase: 'frozen' } as const;
  const started = { kind: 'started', slug: 'coder-a-b-1-k3v9q', workflowId: 'gitea:a/b#1', turn: 2 } as const;
  const commands: readonly (readonly string[])[] = [
    ['signal', 'a/b#1', 'freeze', '--json'],
    ['pause', '--json'],
    ['orchestrate', 'start', '--issue', 'a/b#1', '--json'],
    ['orchestrate', 'resume', '--slug', 'coder-a-b-1-k3v9q', '--prompt', 'go', '--json'],
  ];

  async function stderrAfter(ms: number, args: readonly string[]): Promise<string> {
    const late = async <T>(answer: T): Promise<T> => {
      await new Promise(setImmediate);
      mock.timers.tick(ms);
      return answer;
    };
    const orchestrator = {
      command: () => late(accepted),
      pause: () => late({ action: 'pause', changed: true, pauses: [] } as const),
      start: () => late(started),
      resume: () => late(started),
    };
    const ran = await cliWith({ orchestrator }).run(...args);
    assert.equal(ran.code, 0, ran.stderr);
    JSON.parse(ran.stdout);
    return ran.stderr;
  }

  it('says after five seconds that it waits: forge setup', async () => {
    const world = {
      settings: { repos: ['*'], publish: 'fork' },
      admin: () => ({ listLabels: () => Promise.resolve([]), inheritedLabels: () => Promise.resolve([]) }),
      serves: () => true,
      manifests: () => Promise.resolve({ agents: [], bottles: [], problems: [] }),
      botRights: async () => {
        await new Promise(setImmediate);
        mock.timers.tick(5_000);
        return { login: 'bot', problems: [] };
      },
    };
    const cli = cliWith({ deps: { forgeSetup: () => world as unknown as ForgeSetupWorld } });
    const ran = await cli.run('forge', 'setup', 'a/b', '--no-webhook', '--json');
    assert.equal(ran.code, 0);
    assert.match(ran.stderr, /^bot-bottle: no answer yet from Temporal, its worker or the forge/);
  });

  for (const args of commands) {
    it(`says after five seconds that it waits: ${args.slice(0, 2).join(' ')}`, async () => {
      assert.match(
        await stderrAfter(5_000, args),
        /^bot-bottle: no answer yet from Temporal, its worker or the forge, still waiting\n$/,
      );
      assert.equal(await stderrAfter(4_999, args), '');
    });
  }
});
