import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { EditedText } from '../../../src/cli/base/deps.js';
import type { DashboardDesk } from '../../../src/cli/base/orchestrator.js';
import { showDashboard } from '../../../src/tui/show-dashboard.js';
import { until } from '../../support/bundle/until.js';
import { detail, proposal, run } from './some-state.js';

describe('the dashboard on a terminal', () => {
  it('that tells no size has one, and the shell is told where a version is that was not sent', async () => {
    const stdin = Object.assign(new PassThrough(), {
      ...{ isTTY: true, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin },
    });
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 });
    let written = '';
    stdout.on('data', (piece: Buffer) => (written += piece.toString()));
    const desk = {
      overview: () => Promise.resolve([run('a')]),
      waiting: () => Promise.resolve([proposal(1)]),
      live: () => Promise.resolve(null),
      proposal: () => Promise.resolve(detail),
    } as Partial<DashboardDesk> as DashboardDesk;
    const edit = (): Promise<EditedText> =>
      Promise.resolve({ text: 'own.example\n', path: '/tmp/mine', remove: () => Promise.resolve() });
    const shown = showDashboard({
      ...{ desk, edit, colors: false, ended: new AbortController().signal },
      terminal: {
        stdin: stdin as unknown as NodeJS.ReadStream,
        stdout: stdout as unknown as NodeJS.WriteStream,
      },
    });
    const sees = (text: string): Promise<true> => until(text, () => written.includes(text) || undefined);
    await sees('1 proposal waits');
    assert.doesNotMatch(written, /too small/);
    stdin.write('\r');
    await sees('The build needs wheels.');
    stdin.write('m');
    await sees('let your version take effect?');
    stdin.write('x');
    await sees('a approve yours');
    stdin.write('q');
    await shown;
    assert.match(
      written.slice(written.lastIndexOf('\u001b[?1049l')),
      /your version of 11111111 of a is kept: \/tmp\/mine\n$/,
    );
  }).timeout(30_000);
});
