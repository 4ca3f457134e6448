/** SIGINT, SIGTERM, the end of the terminal, or of the process that started this one. */
export function untilAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    process.once('SIGHUP', stop);
    process.once('disconnect', stop);
  });
}
