import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EditedText } from '../../cli/base/deps.js';
import { CliError } from '../../cli/base/errors.js';
import { EXIT } from '../../cli/base/exit-codes.js';
import { InvalidInputError } from '../../domain/base/errors.js';

/**
 * The operator's own editor (`VISUAL`, else `EDITOR`; a command with options, perhaps) on a file of theirs alone. Errors:
 * `InvalidInputError` when none is set; `CliError` when it fails, and then the file is gone.
 */
export async function editText(env: NodeJS.ProcessEnv, name: string, text: string): Promise<EditedText> {
  const editor = [env['VISUAL'], env['EDITOR']].find((command) => (command ?? '').trim() !== '');
  if (editor === undefined)
    throw new InvalidInputError('no editor is set: set VISUAL or EDITOR, or give the file with --file');
  // Made with mode 0700.
  const directory = await mkdtemp(path.join(tmpdir(), 'bot-bottle-edit-'));
  const file = path.join(directory, name);
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    await run(editor, file, env);
    return { text: await readFile(file, 'utf8'), path: file, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** As git starts it: through a shell, which takes the command apart; the file is an argument of its own. */
async function run(editor: string, file: string, env: NodeJS.ProcessEnv): Promise<void> {
  // Ctrl-C is the editor's while it runs.
  const ignore = (): undefined => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0)
      throw new CliError(
        'failed',
        EXIT.failed,
        `the editor ended with ${String(code ?? signal)}: nothing was sent`,
      );
  } finally {
    process.off('SIGINT', ignore);
  }
}
