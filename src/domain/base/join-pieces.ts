/** Some milliseconds of copying. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** The bytes in slices, so that who works on them can let others have a turn in between. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/**
 * All pieces as one. Hundreds of MiB in one go would hold up every heartbeat of the process for a second.
 * @param pause lets others have a turn
 */
export async function joinPieces(
  pieces: readonly Uint8Array[],
  pause: () => Promise<unknown>,
): Promise<Uint8Array> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let sincePause = 0;
  for (const piece of pieces) {
    for (const slice of slicesOf(piece)) {
      joined.set(slice, at);
      at += slice.length;
      sincePause += slice.length;
      if (sincePause < SLICE_BYTES) continue;
      sincePause = 0;
      await pause();
    }
  }
  return joined;
}
