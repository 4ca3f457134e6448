/**
 * Records what the real CLIs print in the cases of test/support/agents, for test/fixtures/agents. Needs their images and an
 * engine. `npx tsx script/record-agents.ts claude killed` records one case.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { agentProvider } from '../src/adapters/agents/registry.js';
import { CLAUDE_CASES } from '../test/support/agents/claude-cases.js';
import { runCase } from '../test/support/agents/cli-cases.js';
import { CODEX_CASES } from '../test/support/agents/codex-cases.js';
import { record, recordVersion } from '../test/support/agents/recorded.js';

const [onlyProvider, onlyCase] = process.argv.slice(2);
for (const [name, cases] of [
  ['claude', CLAUDE_CASES],
  ['codex', CODEX_CASES],
] as const) {
  if (onlyProvider !== undefined && onlyProvider !== name) continue;
  for (const one of cases) {
    if (onlyCase !== undefined && onlyCase !== one.name) continue;
    const { lines, exitCode, summary } = await runCase(agentProvider(name), one);
    await record(name, one.name, lines);
    console.log(name, one.name, exitCode, JSON.stringify(summary));
  }
  if (onlyCase === undefined) await recordVersion(name, await versionIn(name));
}

async function versionIn(name: string): Promise<string> {
  const { image } = agentProvider(name);
  const start = ['run', '--rm', '--network', 'none', '--entrypoint', `/usr/local/bin/${name}`];
  const { stdout } = await promisify(execFile)('docker', [...start, image, '--version']);
  const [version] = /\d+\.\d+\.\d+\S*/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`no version in ${stdout}`);
  return version;
}
