import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AGENT = join(import.meta.dirname, '..', '..', '..', 'images', 'agent', 'scripted', 'agent.mjs');

export type AgentEvent = Readonly<Record<string, unknown>>;

export interface AgentRun {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly AgentEvent[];
}

/** A workspace, a home and a turn directory like those in the agent's container, and the agent run in them. */
export class AgentPlace {
  readonly root = mkdtempSync(join(tmpdir(), 'scripted-agent-'));
  readonly workspace = join(this.root, 'workspace');

  constructor(
    readonly socket: string,
    branch = 'bot-bottle/1-abcde',
  ) {
    for (const name of ['workspace', 'home', 'turn']) mkdirSync(join(this.root, name));
    this.git('init', '-q', '-b', branch);
    this.git('config', 'user.name', 'dev');
    this.git('config', 'user.email', 'dev@example.org');
    this.git('commit', '-q', '--allow-empty', '-m', 'start');
  }

  git(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: this.workspace, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  writeTurn(turn: unknown): void {
    writeFileSync(join(this.root, 'turn', 'turn.json'), JSON.stringify(turn));
  }

  /** @param onLine told of each line of output while the agent runs, with a way to end it */
  run(
    args: readonly string[],
    prompt: string,
    onLine?: (line: string, kill: (signal: NodeJS.Signals) => void) => void,
  ): Promise<AgentRun> {
    const child = spawn(process.execPath, [AGENT, ...args, '--output-format', 'stream-json'], {
      cwd: this.workspace,
      env: {
        PATH: process.env['PATH'],
        HOME: join(this.root, 'home'),
        BOTTLE_TURN_DIR: join(this.root, 'turn'),
        BOTTLE_FORGE_SOCKET: this.socket,
        SCRIPTED_CONNECT_MS: '3000',
      },
    });
    let stdout = '';
    let stderr = '';
    let told = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      for (let end = stdout.indexOf('\n', told); end !== -1; end = stdout.indexOf('\n', told)) {
        onLine?.(stdout.slice(told, end), (signal) => child.kill(signal));
        told = end + 1;
      }
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(prompt);
    return new Promise((resolve) => {
      child.once('close', (code, signal) => {
        const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
        resolve({
          code,
          signal,
          stdout,
          stderr,
          events: lines.map((line) => JSON.parse(line) as AgentEvent),
        });
      });
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** What came of each tool call: its result, or its error's code or message. */
export function outcomes(run: AgentRun): [name: unknown, outcome: unknown][] {
  return run.events
    .filter((event) => event['type'] === 'tool_result')
    .map((event) => [
      event['name'],
      event['is_error'] === true ? (event['code'] ?? event['error']) : event['result'],
    ]);
}
