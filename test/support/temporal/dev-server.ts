/** `temporal server start-dev` as a process of its own, for tests of what happens before it is there. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { temporalCli } from './binaries.js';

// Ends the server with us even when we are killed outright.
const SETPRIV = '/usr/bin/setpriv';

export class DevServer {
  private constructor(private readonly child: ChildProcess) {}

  /** Does not wait until it serves. In memory, without its pages. */
  static start(port: number): DevServer {
    const argv = [temporalCli(), 'server', 'start-dev', '--headless', '--ip', '127.0.0.1'];
    argv.push('--port', String(port), '--log-level', 'never');
    const [file = '', ...args] = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', ...argv] : argv;
    return new DevServer(spawn(file, args, { stdio: 'ignore' }));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
