import type { RunFiles, TurnRecord } from '../../domain/run/run-files.js';

/**
 * The latest record of an earlier turn that fits. A turn that was prepared and never began, as when it was paused or over
 * its budget, has a number and no record. Errors: those of `readTurn`.
 */
export async function recordBefore(
  files: Pick<RunFiles, 'readTurn'>,
  { slug, turn }: { readonly slug: string; readonly turn: number },
  fits: (record: TurnRecord) => boolean = () => true,
): Promise<TurnRecord | undefined> {
  for (let before = turn - 1; before > 0; before -= 1) {
    const record = await files.readTurn(slug, before);
    if (record !== undefined && fits(record)) return record;
  }
  return undefined;
}

/** The earliest one. Errors: those of `readTurn`. */
export async function firstRecord(
  files: Pick<RunFiles, 'readTurn'>,
  { slug, turn }: { readonly slug: string; readonly turn: number },
  fits: (record: TurnRecord) => boolean,
): Promise<TurnRecord | undefined> {
  for (let earliest = 1; earliest < turn; earliest += 1) {
    const record = await files.readTurn(slug, earliest);
    if (record !== undefined && fits(record)) return record;
  }
  return undefined;
}
