import { BottleRuntimeError } from '../../../domain/base/errors.js';

/** One frame of the engine's multiplexed stream; of a log it is exactly one record of the log driver. */
export interface Frame {
  readonly stream: 'stdout' | 'stderr';
  readonly payload: Buffer;
}

const HEADER = 8;
/** The engine writes at most some 32 KiB at once; more means that we lost the frame's edge. */
const MAX_FRAME = 4 * 1024 * 1024;
const STREAMS = ['stdout', 'stdout', 'stderr'] as const;
const SYSTEM_ERROR = 3;

/**
 * Splits the stream of `attach` and `logs` into frames (Docker Engine API, "Stream format"). dockerode's own
 * `demuxStream` recurses once a frame, which many tiny writes turn into a stack overflow, and knows no backpressure.
 * @throws BottleRuntimeError when it isn't such a stream, or the engine reports an error in it
 */
export async function* frames(stream: AsyncIterable<string | Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let offset = 0;
    while (rest.length - offset >= HEADER) {
      const type = rest.readUInt8(offset);
      const length = rest.readUInt32BE(offset + 4);
      if (length > MAX_FRAME)
        throw new BottleRuntimeError('the engine sent something that is no multiplexed stream', false);
      const end = offset + HEADER + length;
      if (rest.length < end) break;
      yield {
        stream: streamOf(type, rest.subarray(offset + HEADER, end)),
        payload: rest.subarray(offset + HEADER, end),
      };
      offset = end;
    }
    rest = rest.subarray(offset);
  }
}

function streamOf(type: number, payload: Buffer): 'stdout' | 'stderr' {
  const name = STREAMS[type];
  if (name !== undefined) return name;
  const reason =
    type === SYSTEM_ERROR ? payload.toString('utf8').slice(0, 500) : `unknown stream type ${String(type)}`;
  throw new BottleRuntimeError(`the engine broke off the stream: ${reason}`, true);
}
