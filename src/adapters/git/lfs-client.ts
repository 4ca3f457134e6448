import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { GitError } from '../../domain/base/errors.js';
import { readLfsAnswer, type LfsDownload, type LfsObject } from '../../domain/workspace/lfs.js';
import { basicAuthorization } from './git-environment.js';

const MEDIA_TYPE = 'application/vnd.git-lfs+json';
/** As git-lfs does it. */
const BATCH = 100;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const ANSWER_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const SILENCE_MS = 30_000;

export interface LfsRemote {
  /** Of the repository, as git has it: http(s). */
  readonly cloneUrl: string;
  readonly token: string;
  readonly caFile: string | undefined;
  /** Other origins that objects may come from. */
  readonly otherOrigins: readonly string[];
}

/** The forge's LFS API for downloads (git-lfs, `docs/api`). No redirect is followed. */
export class LfsClient {
  readonly #remote: LfsRemote;
  readonly #ca: string[] | undefined;

  constructor(remote: LfsRemote) {
    this.#remote = remote;
    this.#ca =
      remote.caFile === undefined ? undefined : [...rootCertificates, readFileSync(remote.caFile, 'utf8')];
  }

  /** Where each object is, or why it is not had. Errors: `GitError` (retryable) when the forge is away. */
  async locate(objects: readonly LfsObject[]): Promise<ReadonlyMap<string, LfsDownload>> {
    const found = new Map<string, LfsDownload>();
    for (let at = 0; at < objects.length; at += BATCH) {
      const part = objects.slice(at, at + BATCH);
      for (const [oid, download] of await this.#locate(part)) found.set(oid, download);
    }
    return found;
  }

  /**
   * Writes the object to a new file. Answers why it could not, `undefined` when the file has exactly what the pointer
   * names. Errors: `GitError` (retryable) when the server is away.
   */
  async download(object: LfsObject, from: LfsDownload, file: string): Promise<string | undefined> {
    if ('reason' in from) return from.reason;
    const { url, ours } = from;
    const named = Object.keys(from.headers).some((name) => name.toLowerCase() === 'authorization');
    const headers = { ...(ours && !named ? this.#authorization() : {}), ...from.headers };
    return this.#exchange('GET', url, headers, null, DOWNLOAD_TIMEOUT_MS, async (response) => {
      const wrong = objection(response.statusCode ?? 0);
      if (wrong !== undefined) return wrong;
      const hash = createHash('sha256');
      let size = 0;
      const checked = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const chunk of source) {
          size += chunk.length;
          if (size > object.size) return;
          hash.update(chunk);
          yield chunk;
        }
      };
      await pipeline(response, checked, createWriteStream(file, { flags: 'wx', mode: 0o444 }));
      const right = size === object.size && hash.digest('hex') === object.oid;
      return right ? undefined : 'what was sent for it is something else than its pointer names';
    });
  }

  async #locate(objects: readonly LfsObject[]): Promise<ReadonlyMap<string, LfsDownload>> {
    const { cloneUrl, otherOrigins } = this.#remote;
    const url = new URL(`${cloneUrl}/info/lfs/objects/batch`);
    const body = JSON.stringify({
      operation: 'download',
      transfers: ['basic'],
      hash_algo: 'sha256',
      objects: objects.map(({ oid, size }) => ({ oid, size })),
    });
    const headers = { ...this.#authorization(), accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE };
    return this.#exchange('POST', url, headers, body, ANSWER_TIMEOUT_MS, async (response) => {
      const wrong = objection(response.statusCode ?? 0);
      if (wrong !== undefined) return new Map(objects.map(({ oid }) => [oid, { reason: wrong }]));
      const origins = { forge: url.origin, others: otherOrigins };
      return readLfsAnswer(await readJson(response), objects, origins);
    });
  }

  #authorization(): Readonly<Record<string, string>> {
    const { token } = this.#remote;
    return token === '' ? {} : { authorization: basicAuthorization(token) };
  }

  async #exchange<T>(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    timeoutMs: number,
    take: (response: http.IncomingMessage) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { method, headers, signal, timeout: SILENCE_MS, agent: false as const };
    try {
      return await new Promise<T>((resolve, reject) => {
        const request =
          url.protocol === 'https:'
            ? https.request(url, { ...options, ...(this.#ca === undefined ? {} : { ca: this.#ca }) })
            : http.request(url, options);
        request.on('error', reject);
        request.on('timeout', () => {
          request.destroy(new Error('no byte for half a minute'));
        });
        request.on('response', (response) => {
          // What is not read of it is not waited for.
          take(response)
            .then(resolve, reject)
            .finally(() => request.destroy());
        });
        request.end(body ?? undefined);
      });
    } catch (cause) {
      throw cause instanceof GitError
        ? cause
        : new GitError(`LFS objects could not be read from ${url.origin}`, true, { cause });
    }
  }
}

/** What no repetition cures becomes an answer. Errors: `GitError` for what may pass. */
function objection(status: number): string | undefined {
  if (status === 200) return undefined;
  if (status === 429 || status >= 500)
    throw new GitError(`the server of LFS objects answered with ${String(status)}`, true);
  return status >= 300 && status < 400
    ? 'its server answered with a redirect, which is not followed'
    : `its server answered with ${String(status)}`;
}

async function readJson(response: http.IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as unknown;
  } catch {
    return undefined;
  }
}
