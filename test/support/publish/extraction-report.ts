export interface Extracted {
  readonly head: string;
  /** Blob id of `STUCK.md`. */
  readonly stuck?: string;
  /** As `git status --porcelain -z` has it. */
  readonly status?: string;
  readonly bundle?: string | Uint8Array | undefined;
}

/** What the extractor's container prints for a workspace. */
export function extractionReport({ head, stuck = '-', status = '', bundle }: Extracted): Buffer {
  const fields = ['bot-bottle-extract-1', head, stuck, String(Buffer.byteLength(status)), ''];
  const report = Buffer.from(fields.join('\0') + status + (bundle === undefined ? '0\0' : '1\0'));
  return Buffer.concat([report, Buffer.from(bundle ?? '')]);
}
