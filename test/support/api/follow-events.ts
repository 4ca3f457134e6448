import assert from 'node:assert/strict';

export interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface Following {
  readonly secret: string;
  readonly after?: string;
  /** It is enough. */
  readonly isLast?: (told: Told) => boolean;
  /** The answer has begun. */
  readonly began?: () => void;
}

/** Server-sent events until the stream ends, or one of them is the last. */
export async function followEvents(url: string, following: Following): Promise<Told[]> {
  const { secret, after, isLast = () => false, began } = following;
  const ending = new AbortController();
  const headers = {
    authorization: `Bearer ${secret}`,
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const response = await fetch(url, { headers, signal: ending.signal });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  began?.();
  const all: Told[] = [];
  let text = '';
  for await (const piece of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (id === undefined || event === undefined || data === undefined) continue;
      const told = { id, event, data: JSON.parse(data) as Told['data'] };
      all.push(told);
      if (!isLast(told)) continue;
      ending.abort();
      return all;
    }
  }
  return all;
}
