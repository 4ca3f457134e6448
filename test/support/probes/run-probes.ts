/** Carries the probes to where they run, and their reports back. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';

const INSIDE = fileURLToPath(new URL('inside/', import.meta.url));
const FOR_BUNDLE = new URL('bundle-probes.mjs', import.meta.url);
const IMAGE = 'bot-bottle/agent-scripted:dev';

export interface Outcome {
  readonly group: string;
  readonly name: string;
  readonly blocked: boolean;
  readonly evidence: string;
  readonly ms?: number;
}

/** Puts programs and targets into a directory that the bottle sees; answers what to run there. */
export async function placeProbes(directory: string, targets: object): Promise<void> {
  await cp(INSIDE, join(directory, 'probes'), { recursive: true });
  await writeFile(join(directory, 'targets.json'), JSON.stringify(targets));
}

export const RUN_PROBES =
  'run node /run/bottle/turn/probes/probes.mjs /run/bottle/turn/targets.json /workspace/report.jsonl';

export function outcomes(text: string): Map<string, Outcome> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const outcome = JSON.parse(line) as Outcome;
      return [outcome.name, outcome];
    }),
  );
}

/** The probes that can, in a container of root with capabilities, without a filter and the host's network. */
export async function runControl(targets: object): Promise<Map<string, Outcome>> {
  const docker = new Docker();
  const dir = await mkdtemp(join(tmpdir(), 'bb-control-'));
  await placeProbes(dir, targets);
  await mkdir(join(dir, 'out'));
  await writeFile(join(dir, 'engine.sock'), '');
  const container = await docker.createContainer({
    Image: IMAGE,
    User: '0:0',
    Entrypoint: ['node', '/probe/probes/probes.mjs', '/probe/targets.json', '/probe/report.jsonl', 'control'],
    HostConfig: {
      NetworkMode: 'host',
      CapAdd: ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      Binds: [
        `${dir}:/probe`,
        `${join(dir, 'out')}:/run/bottle/out`,
        `${join(dir, 'engine.sock')}:/run/docker.sock`,
      ],
    },
  });
  try {
    await container.start();
    await container.wait();
    return outcomes(await readFile(join(dir, 'report.jsonl'), 'utf8'));
  } finally {
    await container.remove({ force: true });
    await rm(dir, { recursive: true, force: true });
  }
}

/** As a sidecar that was taken over. */
export async function runInBundle(container: string, targets: object): Promise<Map<string, Outcome>> {
  const exec = await new Docker().getContainer(container).exec({
    Cmd: ['node', '--input-type=module', '-e', await readFile(FOR_BUNDLE, 'utf8')],
    Env: [`PROBE_TARGETS=${JSON.stringify(targets)}`],
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
  });
  const stream = await exec.start({ Tty: true });
  let output = '';
  for await (const chunk of stream) output += String(chunk);
  const report = output.split(/\r?\n/).filter((line) => line.startsWith('{"group"'));
  if (report.length === 0) throw new Error(`the probes in the sidecar reported nothing: ${output}`);
  return outcomes(report.join('\n'));
}
