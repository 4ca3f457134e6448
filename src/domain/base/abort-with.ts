/**
 * Aborts when one of the sources does, with its reason. Not `AbortSignal.any`: on Node 20 its sources can be collected while
 * the result is waited on, and the abort never comes. `release` is for sources that live on.
 */
export function abortWith(...sources: readonly AbortSignal[]): {
  readonly controller: AbortController;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  };
  for (const source of sources) source.addEventListener('abort', abort, { once: true });
  if (sources.some(({ aborted }) => aborted)) abort();
  const release = (): void => {
    for (const source of sources) source.removeEventListener('abort', abort);
  };
  return { controller, release };
}

/** The signal alone, of sources that end with it. */
export function eitherSignal(...sources: readonly AbortSignal[]): AbortSignal {
  return abortWith(...sources).controller.signal;
}
