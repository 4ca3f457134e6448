import type Docker from 'dockerode';
import { AGENT_ENTRYPOINT } from '../../../domain/bottle/bottle-runtime.js';
import { runOneShot } from '../one-shot.js';

const TIMEOUT_MS = 60_000;
const CHECK = `
[ -x ${AGENT_ENTRYPOINT} ] || exit 2
[ "$(stat -c %u /home/agent 2>/dev/null)" = 1000 ] || exit 3
command -v git >/dev/null || exit 4
`;

const FLAWS: Readonly<Record<number, string>> = {
  2: `it has no ${AGENT_ENTRYPOINT}; begin it with ARG BASE=bot-bottle/agent-scripted:dev and FROM \${BASE}`,
  3: 'its /home/agent does not belong to uid 1000; begin it with FROM ${BASE} and leave that user alone',
  4: 'it has no git; begin it with FROM ${BASE}',
};

/** What keeps an image from being an agent's, seen from inside without network; `undefined` when nothing does. */
export async function imageFlaw(
  docker: Docker,
  id: string,
  slug: string,
  { cpus, host }: { readonly cpus: number; readonly host: string | null },
): Promise<string | undefined> {
  const spec = {
    name: `image-check-${id.slice(-12)}`,
    slug,
    image: id,
    argv: ['/bin/sh', '-c', CHECK],
    user: 'agent',
    mounts: [],
    env: {},
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  } as const;
  const { exitCode } = await runOneShot(docker, spec, cpus, host);
  return exitCode === 0 ? undefined : (FLAWS[exitCode] ?? `a shell in it ended with ${String(exitCode)}`);
}
