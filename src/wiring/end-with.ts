/** What a failed start left open must not keep the process longer than this, milliseconds. */
const EXIT_GRACE_MS = 3_000;

/** The process ends by itself, so that what is being written still gets its time, but it ends. */
export function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
}
