import { readFileSync } from 'node:fs';
import type { ScriptWorld } from './script-world.js';

const PROGRAM = readFileSync(new URL('docker-stub.sh', import.meta.url), 'utf8');

/** An engine that has these images. More about it: docker-stub.sh. */
export function stubDocker(world: ScriptWorld, ...images: readonly string[]): void {
  world.write('engine/none', '');
  for (const image of images) world.write(fileOf(image), 'of-before\n');
  world.program('docker', PROGRAM);
}

export function hasImage(world: ScriptWorld, image: string): boolean {
  return world.has(fileOf(image));
}

function fileOf(image: string): string {
  return `engine/${image.replaceAll('/', '%')}`;
}
