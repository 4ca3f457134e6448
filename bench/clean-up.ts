/** What a benchmark opened goes when it ends, fails, or is interrupted. */

const open: (() => Promise<void>)[] = [];

/** Runs work, then cleans up, whatever became of the work. */
export async function cleaningUp<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  open.push(cleanUp);
  try {
    return await work();
  } finally {
    const at = open.lastIndexOf(cleanUp);
    if (at >= 0) {
      open.splice(at, 1);
      await cleanUp();
    }
  }
}

/** On a signal: everything that is open, the last first; a fault is no reason to leave the rest. */
export async function cleanUpAll(): Promise<void> {
  for (let cleanUp = open.pop(); cleanUp !== undefined; cleanUp = open.pop()) {
    await cleanUp().catch((error: unknown) => {
      console.error('not cleaned up:', error);
    });
  }
}
