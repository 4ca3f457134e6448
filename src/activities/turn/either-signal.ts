/**
 * A signal that aborts when one of the others does. Not `AbortSignal.any`: on Node 20 its sources can be collected while
 * the result is waited on, and the abort never comes.
 */
export function eitherSignal(...sources: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason);
    else
      source.addEventListener(
        'abort',
        () => {
          controller.abort(source.reason);
        },
        { once: true },
      );
  }
  return controller.signal;
}
