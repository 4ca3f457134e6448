/** Ids, numbers and words of ours: no text that anybody wrote, and no secret. The names begin with `bot_bottle.`. */
export type SpanAttributes = Readonly<Record<`bot_bottle.${string}`, string | number>>;

export interface OpenSpan {
  /** W3C `traceparent`: what happens later is of the same trace by it. */
  readonly traceparent: string;
  end(): void;
}

/** What happens to a run, as spans for a collector. Nobody has one while there is no collector. */
export interface Tracing {
  /** Begins a trace. A span that is not ended is not told. */
  begin(name: string, attributes: SpanAttributes): OpenSpan;
  /**
   * Does the work as a part of the first cause's trace, and links it to the others'.
   * @param causes their `traceparent`s; none begins a trace
   */
  during<T>(
    name: string,
    attributes: SpanAttributes,
    causes: readonly string[],
    work: () => Promise<T>,
  ): Promise<T>;
  /** What was done elsewhere, as a part of what is being done here. Times are epoch milliseconds. */
  tell(name: string, attributes: SpanAttributes, times: { readonly from: number; readonly to: number }): void;
}
