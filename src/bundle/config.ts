import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRecord } from '../domain/base/is-record.js';
import { CREDENTIAL_SOCKET, EGRESS_SOCKET } from '../domain/egress/ports.js';
import { parsePrices, type PriceTable } from '../domain/egress/model-prices.js';
import { InvalidInputError } from '../domain/base/errors.js';
import { isForgeName, isForgeNumber, isOwnerName } from '../domain/forge/issue.js';
import { NO_BUDGET, type ModelBudget } from '../domain/run/model-use.js';
import type { TurnHeader } from '../domain/run/queue-directory.js';
import { isSlug } from '../domain/run/slug.js';
import { codeOf } from './base/code-of.js';
import { DEFAULT_RATE_LIMITS, type RateLimits } from './plane/rate-limit.js';
import type { Readers } from './plane/text-gate.js';

export interface BundlePaths {
  readonly forgeSocket: string;
  readonly queueOut: string;
  readonly queueIn: string;
  readonly tokenFile: string;
  /** Set when the file is there. */
  readonly caFile: string;
  readonly egressSocket: string;
  readonly credentialSocket: string;
  /** The bottle's allowlist and routes. */
  readonly currentConfig: string;
  /** The routes' secrets, a file each. */
  readonly secrets: string;
}

export interface BundleConfig {
  readonly slug: string;
  /** False: the run has no forge; what is said of one below is empty, and there is no token. */
  readonly hasForge: boolean;
  readonly forgeApi: string;
  readonly owner: string;
  readonly repo: string;
  readonly issue: number;
  readonly pr: number | null;
  readonly turn: number;
  /** The turn that this one goes on with, since the machine interrupted that one. */
  readonly goesOnWith: number | null;
  /** Unix socket that stands for a forge on the host's loopback. */
  readonly forgeTransportSocket: string | null;
  readonly rateLimits: RateLimits;
  /** What the agent may send through the forward proxy in this process's life, bytes. */
  readonly egressUploadBytes: number;
  /** What this process may use of models. */
  readonly budget: ModelBudget;
  /** Whose texts the agent may read. */
  readonly readers: Readers;
  /** The operator's prices, before the built-in ones. */
  readonly prices: PriceTable;
  readonly paths: BundlePaths;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const RUN_DIRECTORY = '/run/bottle';
const MAX_PER_MINUTE = 100_000;
const DEFAULT_UPLOAD_BYTES = 64 * 1024 * 1024;
const MIN_TOKEN_LENGTH = 8;
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * The sidecar's configuration. What lasts for the run comes from the environment (the container is created once);
 * the turn and its pull request from `in/turn.json`, which the worker writes before each start. `BUNDLE_RUN_DIR` moves
 * everything away from `/run/bottle`, for runs outside a container.
 * Errors: `InvalidInputError` that names what is missing or wrong, never a secret's value.
 */
export function readBundleConfig(env: Environment): BundleConfig {
  const root = env['BUNDLE_RUN_DIR'] ?? RUN_DIRECTORY;
  const paths: BundlePaths = {
    forgeSocket: join(root, 'sock', 'forge.sock'),
    queueOut: join(root, 'out'),
    queueIn: join(root, 'in'),
    tokenFile: join(root, 'forge-token'),
    caFile: join(root, 'ca.pem'),
    egressSocket: join(root, 'sock', basename(EGRESS_SOCKET)),
    credentialSocket: join(root, 'sock', basename(CREDENTIAL_SOCKET)),
    currentConfig: join(root, 'config'),
    secrets: join(root, 'secrets'),
  };
  const turn = readTurnFile(join(paths.queueIn, 'turn.json'));
  const hasForge = env['FORGE_KIND'] !== 'none';
  return {
    slug: required(env, 'BOTTLE_SLUG', isSlug, 'a slug: letters a-z, digits and hyphens, at most 63'),
    hasForge,
    ...(hasForge ? forgeIn(env, turn) : NO_FORGE),
    turn: turn.turn,
    goesOnWith: turn.goesOnWith,
    rateLimits: {
      callsPerMinute: perMinute(env, 'BUNDLE_CALLS_PER_MINUTE', DEFAULT_RATE_LIMITS.callsPerMinute),
      writesPerMinute: perMinute(env, 'BUNDLE_WRITES_PER_MINUTE', DEFAULT_RATE_LIMITS.writesPerMinute),
    },
    egressUploadBytes: turn.uploadBytes,
    budget: turn.budget,
    readers: turn.readers,
    prices: turn.prices,
    paths,
  };
}

type ForgePart = Pick<BundleConfig, 'forgeApi' | 'owner' | 'repo' | 'issue' | 'pr' | 'forgeTransportSocket'>;

const NO_FORGE: ForgePart = {
  forgeApi: '',
  owner: '',
  repo: '',
  issue: 0,
  pr: null,
  forgeTransportSocket: null,
};

function forgeIn(env: Environment, turn: TurnFile): ForgePart {
  const transport = env['FORGE_SOCKET'] ?? '';
  return {
    forgeApi: required(env, 'FORGE_GITEA_API', isHttpUrl, 'an http or https URL without user and password'),
    owner: turn.owner ?? required(env, 'FORGE_OWNER', isOwnerName, "an owner's name on the forge"),
    repo: turn.repo ?? required(env, 'FORGE_REPO', isForgeName, "a repository's name on the forge"),
    issue: forgeNumberIn(env, 'FORGE_ISSUE_NUMBER') ?? missing('FORGE_ISSUE_NUMBER'),
    pr: turn.pr === undefined ? forgeNumberIn(env, 'FORGE_PR_NUMBER') : turn.pr,
    forgeTransportSocket: transport === '' ? null : transport,
  };
}

/** The forge token. Errors: `InvalidInputError` that names the file, never its content. */
export function readToken(file: string): string {
  const token = readOrExplain(file, 'the forge token').trim();
  // Anything shorter is no token, and would take ordinary words out of answers and logs.
  if (token.length < MIN_TOKEN_LENGTH) throw new InvalidInputError(`${file}: too short for a forge token`);
  if (!BEARER_TOKEN.test(token))
    throw new InvalidInputError(`${file}: not one line with a token (RFC 6750, b64token)`);
  return token;
}

interface TurnFile {
  readonly turn: number;
  readonly goesOnWith: number | null;
  readonly pr: number | null | undefined;
  readonly owner: string | undefined;
  readonly repo: string | undefined;
  readonly budget: ModelBudget;
  readonly uploadBytes: number;
  readonly prices: PriceTable;
  readonly readers: Readers;
}

/**
 * The file that a `TurnHeader` was written into. What it leaves out of repository and pull request the environment says,
 * which is the container's and so as old as the run.
 */
function readTurnFile(file: string): TurnFile {
  const given = readObject(file, 'the turn, written by the worker before each start');
  const field = <T>(name: keyof TurnHeader, isValid: (value: unknown) => value is T, form: string): T => {
    const value = given[name];
    if (!isValid(value)) throw new InvalidInputError(`${file}: "${name}" must be ${form}`);
    return value;
  };
  const number = 'a whole number from 1';
  const readers = field('readers', optional(isTextList), 'a list of logins');
  return {
    turn: field('turn', isForgeNumber, number),
    goesOnWith: field('goesOnWith', optional(isNumberOrNull), `${number}, or null`) ?? null,
    pr: field('prNumber', optional(isNumberOrNull), `${number}, or null`),
    owner: field('owner', optional(isOwnerName), 'a name on the forge'),
    repo: field('repo', optional(isForgeName), 'a name on the forge'),
    budget:
      field('budget', optional(isBudget), '"tokens" and "microUsd", whole numbers or null') ?? NO_BUDGET,
    uploadBytes: field('uploadBytes', optional(isAmount), 'a whole number from 0') ?? DEFAULT_UPLOAD_BYTES,
    prices: parsePrices(field('prices', optional(isPrices), 'prices of models, separated by commas') ?? ''),
    readers: readers === undefined ? null : new Set(readers.map((login) => login.toLowerCase())),
  };
}

function readObject(file: string, what: string): Readonly<Record<string, unknown>> {
  const text = readOrExplain(file, what);
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new InvalidInputError(`${file}: not JSON`, { cause: error });
  }
  throw new InvalidInputError(`${file}: not an object`);
}

function optional<T>(isValid: (value: unknown) => value is T): (value: unknown) => value is T | undefined {
  return (value) => value === undefined || isValid(value);
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || isForgeNumber(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isBudget(value: unknown): value is ModelBudget {
  if (!isRecord(value)) return false;
  return [value['tokens'], value['microUsd']].every((amount) => amount === null || isAmount(amount));
}

function isPrices(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    parsePrices(value);
    return true;
  } catch {
    return false;
  }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function readOrExplain(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`${file} cannot be read (${codeOf(error)}): it holds ${what}`, {
      cause: error,
    });
  }
}

function required<T extends string>(
  env: Environment,
  name: string,
  isValid: (value: unknown) => value is T,
  form: string,
): T {
  const value = env[name] ?? '';
  if (value === '') missing(name);
  if (!isValid(value)) throw new InvalidInputError(`${name} must be ${form}`);
  return value;
}

function missing(name: string): never {
  throw new InvalidInputError(`${name} is not set`);
}

/** Digits only: `1e3`, `0x10`, ` 12` and `1/../2` are no numbers here. */
function forgeNumberIn(env: Environment, name: string): number | null {
  const text = env[name] ?? '';
  if (text === '') return null;
  const number = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (!isForgeNumber(number))
    throw new InvalidInputError(`${name} must be a whole number from 1 to 2^53 - 1`);
  return number;
}

function perMinute(env: Environment, name: string, otherwise: number): number {
  const text = env[name] ?? '';
  if (text === '') return otherwise;
  const number = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PER_MINUTE) {
    throw new InvalidInputError(`${name} must be a whole number from 1 to ${String(MAX_PER_MINUTE)}`);
  }
  return number;
}

function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
