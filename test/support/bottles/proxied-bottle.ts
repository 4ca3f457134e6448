import { chmodSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { labelsOf, volumeName, type VolumeKind } from '../../../src/adapters/docker/names-and-labels.js';
import { egressEnv } from '../../../src/domain/egress/agent-env.js';
import type { TestBottle } from '../../integration/docker/support/test-bottle.js';
import type { EgressHere } from '../egress/egress-here.js';

/**
 * Runs a script as the agent of a bottle: the real container, entrypoint and forwarders, whose sockets lead to the egress
 * plane in this process. So a host that is allowed can be a server of the test, on loopback.
 */
export async function runProxied(
  docker: Docker,
  bottle: TestBottle,
  egress: EgressHere,
  {
    image,
    allow,
    script,
  }: { readonly image: string; readonly allow: readonly string[]; readonly script: string },
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const { slug, dir, runtime } = bottle;
  const volume = (kind: VolumeKind, DriverOpts: Record<string, string>): Promise<unknown> =>
    docker.createVolume({ Name: volumeName(slug, kind), Labels: labelsOf(slug, kind), DriverOpts });
  chmodSync(egress.dir, 0o755);
  await volume('sock', { type: 'none', o: 'bind', device: egress.dir });
  await volume('home', {});
  egress.allow(...allow);
  await bottle.shell(script);
  const env = Object.entries(egressEnv({ allow, routes: [] }));
  for (const [name, content] of [
    ['env', env.map(([key, value]) => `${key}=${value}\0`).join('')],
    ['wants-egress', ''],
  ] as const) {
    const file = join(dir, 'turn', name);
    await writeFile(file, content);
    await chmod(file, 0o644);
  }
  await runtime.createAgent(bottle.agentSpec({ image }));
  const { exitCode, lines } = await bottle.runTurn();
  return { exitCode, text: lines.map(({ text }) => text).join('\n') };
}
