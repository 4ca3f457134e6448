import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GiteaProcess } from './gitea-process.js';
import type { Person } from './person.js';

/** What Gitea's own first commit has for a README. */
const FILES = (name: string): Readonly<Record<string, string>> => ({
  'README.md': `# ${name}\n`,
  'greet.sh': '#!/bin/sh\necho hello\n',
});

/**
 * Makes a public repository `owner/name` with two commits on `main`. Git writes it where the server keeps its own, and the
 * server adopts it: made through the API, each commit would be a push, whose hooks start the server's program three
 * times, most of a second in all.
 */
export async function adoptRepository(
  server: GiteaProcess,
  admin: Person,
  owner: Person,
  name: string,
): Promise<void> {
  const repository = `${owner.login}/${name}`;
  const directory = join(server.dir, 'repositories', `${repository.toLowerCase()}.git`);
  await git(['init', '--quiet', '--bare', '--initial-branch=main', directory]);
  await git(['--git-dir', directory, 'fast-import', '--quiet'], history(owner.login, name));
  await admin.api.call('POST', `/admin/unadopted/${repository}`);
  // It adopts them as private ones.
  await owner.api.call('PATCH', `/repos/${repository}`, { private: false });
}

/** The input of `git fast-import`. */
function history(login: string, name: string): string {
  const who = `${login} <${login}@noreply.127.0.0.1> ${String(Math.floor(Date.now() / 1000))} +0000`;
  return Object.entries(FILES(name))
    .map(([path, content], at) =>
      [
        'commit refs/heads/main',
        `author ${who}`,
        `committer ${who}`,
        data(at === 0 ? 'Initial commit\n' : `Add ${path}\n`),
        `M 100644 inline ${path}`,
        data(content),
        '',
      ].join('\n'),
    )
    .join('');
}

function data(text: string): string {
  return `data ${String(Buffer.byteLength(text))}\n${text}`;
}

async function git(args: readonly string[], input = ''): Promise<void> {
  const child = spawn('git', args, { stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // It may have ended without reading; how it ended is what tells.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${String(code)} ${stderr}`);
}
