import type { RunFiles } from '../../domain/run/run-files.js';

/** The commits in a file, as long as the work with it goes on: no quota counts what lies there. */
export async function withBundle<T>(
  files: Pick<RunFiles, 'saveFile' | 'removeFile'>,
  { slug, turn }: { readonly slug: string; readonly turn: number },
  bundle: Uint8Array,
  work: (bundleFile: string) => Promise<T>,
): Promise<T> {
  const file = `turns/${String(turn)}/publish.bundle`;
  try {
    return await work(await files.saveFile(slug, file, bundle));
  } finally {
    await files.removeFile(slug, file);
  }
}
