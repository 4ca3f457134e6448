import { fileURLToPath } from 'node:url';
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type DataConverter,
  type LoadedDataConverter,
} from '@temporalio/common';
import { aesCodec, workerCodec, type CodecKey } from './aes-codec.js';

/** How a client turns values into what is sent, and back. Without keys it says of what is encrypted which key it lacks. */
export function clientDataConverter(keys: readonly CodecKey[]): LoadedDataConverter {
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: keys.length > 0 }),
    payloadCodecs: [aesCodec(keys)],
  };
}

/** The same for a worker, which takes converters by their files; its workflow bundle brings its own. */
export function workerDataConverter(keys: readonly CodecKey[]): DataConverter {
  const payloadCodecs = [workerCodec(keys)];
  if (keys.length === 0) return { payloadCodecs };
  const file = import.meta.url.endsWith('.ts') ? './encoded-failures.cts' : './encoded-failures.cjs';
  return { payloadCodecs, failureConverterPath: fileURLToPath(new URL(file, import.meta.url)) };
}
