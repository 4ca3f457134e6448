import { aesCodec } from '../../adapters/temporal/codec/aes-codec.js';
import { serveCodec } from '../../adapters/temporal/codec/codec-server.js';
import type { Config } from '../../config/load-config.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { codecKeysOf } from '../temporal-client.js';
import { onFreePort } from '../free-port.js';
import type { Say } from './run-service.js';
import { untilAskedToStop } from './until-asked-to-stop.js';

/** The codec server until a signal. Errors: `InvalidInputError` without a key, or for a port that is taken. */
export async function serveCodecServer(config: Config, say: Say): Promise<void> {
  const keys = codecKeysOf(config);
  if (keys.length === 0)
    throw new InvalidInputError(
      'TEMPORAL_CODEC_KEYS is off: nothing is encrypted, so there is nothing to decode',
    );
  const origins = uiOrigins(config);
  const port = config.TEMPORAL_CODEC_PORT;
  const server = await onFreePort('TEMPORAL_CODEC_PORT', { host: '127.0.0.1', port }, () =>
    serveCodec({ codec: aesCodec(keys), port, origins }),
  );
  say(`codec server at ${server.url}, for ${origins.join(' and ')}; stop with Ctrl-C`);
  await untilAskedToStop();
  await server.close();
}

/** Where Temporal's web page is; `up`'s own has two names. */
function uiOrigins({ TEMPORAL_UI_URL: url, TEMPORAL_UI_PORT: port }: Config): readonly string[] {
  if (url !== null) return [new URL(url).origin];
  return ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${String(port)}`);
}
