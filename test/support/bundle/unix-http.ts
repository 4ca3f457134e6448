import { request } from 'node:http';

export interface UnixAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface UnixRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function overUnix(socketPath: string, options: UnixRequest = {}): Promise<UnixAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', path = '/rpc', headers = JSON_TYPE, body, signal } = options;
    const outgoing = request(
      { socketPath, method, path, headers, ...(signal === undefined ? {} : { signal }) },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

export async function rpc(
  socketPath: string,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { text } = await overUnix(socketPath, { body, ...(signal === undefined ? {} : { signal }) });
  return JSON.parse(text) as RpcAnswer;
}
