import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { API_SCOPES, type ApiToken, type ApiTokens } from '../../domain/api/api-token.js';
import { RunFilesError } from './file-error.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { whileLocked, type LockHolder } from '../system/lock-file.js';
import { writeWhole } from '../system/write-file.js';

const kept = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  name: z.string().max(200),
  scope: z.enum(API_SCOPES),
  createdAt: z.int(),
  expiresAt: z.int(),
  /** SHA-256 of the secret, hexadecimal. It has 256 random bits: there is nothing to guess, so nothing to slow down. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
const schema = z.strictObject({ version: z.literal(1), tokens: z.array(kept) });
type Kept = z.infer<typeof kept>;

const PREFIX = 'bbt_';
const SECRET_BYTES = 32;
const LOCK_WAIT_MS = 2_000;

/** @param now epoch milliseconds */
export function apiTokensFile(home: string, now: () => number): ApiTokens {
  const file = join(home, 'api-tokens.json');
  const lock = join(home, 'api-tokens.lock');
  const inUse = ({ pid }: LockHolder): RunFilesError =>
    new RunFilesError(
      `another bot-bottle token, process ${String(pid)}, is at work: try again (${lock})`,
      true,
    );
  const change = <T>(work: (tokens: readonly Kept[]) => { tokens: readonly Kept[]; result: T }): Promise<T> =>
    // Two commands at once must not lose one's token.
    whileLocked(lock, LOCK_WAIT_MS, inUse, async () => {
      const { tokens, result } = work(await read(file));
      const text = `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`;
      await writeWhole(file, text, { mode: 0o600, durable: true });
      return result;
    });
  return {
    create: ({ scope, name, lastsMs }) => {
      const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
      const createdAt = now();
      return change((tokens) => {
        const token = { id: freeId(tokens), name, scope, createdAt, expiresAt: createdAt + lastsMs };
        const result = { token, secret };
        return { tokens: [...tokens, { ...token, hash: hashOf(secret).toString('hex') }], result };
      });
    },
    list: async () => (await read(file)).map(withoutHash),
    revoke: (id) =>
      change((tokens) => {
        const others = tokens.filter((token) => token.id !== id);
        return { tokens: others, result: others.length < tokens.length };
      }),
    find: async (secret) => {
      const hash = hashOf(secret);
      let found: Kept | undefined;
      // All of them are compared, so that the time says nothing of which one it is.
      for (const token of await read(file))
        if (timingSafeEqual(Buffer.from(token.hash, 'hex'), hash)) found = token;
      return found && withoutHash(found);
    },
  };
}

async function read(file: string): Promise<readonly Kept[]> {
  const text = await unlessMissing(readFile(file, 'utf8'));
  if (text === undefined) return [];
  try {
    return schema.parse(JSON.parse(text)).tokens;
  } catch {
    // Without the parser's words: they quote the file.
    throw new RunFilesError(
      `${file} is not a list of API tokens: remove it, and make new ones with bot-bottle token create`,
      false,
    );
  }
}

function freeId(tokens: readonly Kept[]): string {
  const id = randomBytes(4).toString('hex');
  return tokens.some((token) => token.id === id) ? freeId(tokens) : id;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function withoutHash({ id, name, scope, createdAt, expiresAt }: Kept): ApiToken {
  return { id, name, scope, createdAt, expiresAt };
}
