/** The operator's settings: `$BOT_BOTTLE_HOME/config.yaml`, over it the environment. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { InvalidInputError } from '../domain/base/errors.js';
import { codecSecret } from '../domain/secret/secret-name.js';
import { quoted, readConfigText } from './config-file.js';
import type { FileEntry } from './config-file.js';
import { checkHome, homePath } from './home.js';
import { nearName } from './near-name.js';
import { inspectSecret } from './secrets.js';
import { SETTING_ROWS, SETTINGS } from './settings.js';
import type { Setting, SettingName, SettingValues } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Parsed settings by name, and the home they were read from. */
export type Config = SettingValues & { readonly BOT_BOTTLE_HOME: string };

export type ConfigSource = 'environment' | 'file' | 'default';

/** One line of `config show`. */
export interface EffectiveSetting {
  readonly name: string;
  /** As the operator would write it; `null` when unset. The path, never the content, of a secret. */
  readonly value: string | null;
  readonly source: ConfigSource;
  /** Of the file, from 1. */
  readonly line?: number;
  /** State of the secret the path leads to. */
  readonly secret?: 'set' | 'missing' | 'unusable';
}

export interface LoadedConfig {
  readonly config: Config;
  readonly effective: readonly EffectiveSetting[];
  /** What works but deserves a look. */
  readonly warnings: readonly string[];
}

/**
 * Reads and checks everything at once.
 * @throws InvalidInputError with every problem, one a line: `config.yaml:3: unknown setting …`
 */
export function loadConfig(env: Environment): LoadedConfig {
  const home = homePath(env);
  const problems: string[] = [];
  const file = readFile(home, problems);
  const values = new Map<SettingName, unknown>();
  const effective: EffectiveSetting[] = [
    { name: 'BOT_BOTTLE_HOME', value: home, source: env['BOT_BOTTLE_HOME'] ? 'environment' : 'default' },
  ];
  for (const [name, setting] of SETTING_ROWS) {
    const raw = rawValue(name, setting, env, file);
    let value: unknown = null;
    try {
      if (raw.text !== null) value = setting.parse(raw.text, { home });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      // Never the value: it may be a credential, or an address that holds one.
      problems.push(`${place(raw)}${name}: ${error.message}`);
    }
    values.set(name, value);
    effective.push(describe(name, setting, raw, value));
  }
  if (problems.length > 0) throw new InvalidInputError(problems.join('\n'));
  // Every name of the table was just parsed by its own parser.
  const config = { ...Object.fromEntries(values), BOT_BOTTLE_HOME: home } as unknown as Config;
  return { config, effective, warnings: warningsFor(config, effective, env) };
}

/**
 * The value of a setting that this command can't do without.
 * @throws InvalidInputError that says what to write where
 */
export function requireSetting<K extends SettingName>(config: Config, name: K): NonNullable<Config[K]> {
  const value = config[name];
  if (value !== null) return value;
  const file = path.join(config.BOT_BOTTLE_HOME, 'config.yaml');
  throw new InvalidInputError(
    `${name} is not set: add "${name}: …" to ${file} or export it. ${SETTINGS[name].description}`,
  );
}

/** The token commits are pushed with: its own file, or the sidecar's. */
export function publishTokenFile(
  config: Pick<Config, 'FORGE_PUBLISH_TOKEN_FILE' | 'FORGE_TOKEN_FILE'>,
): string {
  return config.FORGE_PUBLISH_TOKEN_FILE ?? config.FORGE_TOKEN_FILE;
}

/** The settings that lead to secrets of the orchestrator's own. */
export type OwnSecrets = Pick<
  Config,
  | 'BOT_BOTTLE_HOME'
  | 'FORGE_TOKEN_FILE'
  | 'FORGE_PUBLISH_TOKEN_FILE'
  | 'WEBHOOK_SECRET_FILE'
  | 'NOTIFY_WEBHOOK_SECRET_FILE'
  | 'TEMPORAL_CODEC_KEYS'
>;

/** Files of the orchestrator's own secrets, which no route may use. */
export function ownSecretFiles(config: OwnSecrets): readonly string[] {
  const codecKeys = codecKeyFiles(config).map(({ file }) => file);
  return [
    publishTokenFile(config),
    config.FORGE_TOKEN_FILE,
    config.WEBHOOK_SECRET_FILE,
    config.NOTIFY_WEBHOOK_SECRET_FILE,
    ...codecKeys,
  ];
}

/** Where the keys of `TEMPORAL_CODEC_KEYS` are, in its order; none while it is off. */
export function codecKeyFiles(
  config: Pick<Config, 'BOT_BOTTLE_HOME' | 'TEMPORAL_CODEC_KEYS'>,
): readonly { readonly id: string; readonly name: string; readonly file: string }[] {
  return (config.TEMPORAL_CODEC_KEYS ?? []).map((id) => {
    const name = codecSecret(id);
    return { id, name, file: path.join(config.BOT_BOTTLE_HOME, 'secrets', name) };
  });
}

interface RawValue {
  readonly text: string | null;
  readonly source: ConfigSource;
  readonly line?: number;
}

function rawValue(
  name: SettingName,
  setting: Setting<unknown>,
  env: Environment,
  file: ReadonlyMap<string, FileEntry>,
): RawValue {
  const fromEnv = env[name];
  // An empty variable is how compose files and shells say "not set".
  if (fromEnv !== undefined && fromEnv !== '') return { text: fromEnv, source: 'environment' };
  const entry = file.get(name);
  if (entry !== undefined) return { text: entry.text, source: 'file', line: entry.line };
  return { text: setting.fallback, source: 'default' };
}

function readFile(home: string, problems: string[]): ReadonlyMap<string, FileEntry> {
  const file = path.join(home, 'config.yaml');
  if (checkHome(home) === 'missing') return new Map();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return new Map();
  if (!stat.isFile()) throw new InvalidInputError(`${file} is not a regular file`);
  if ((stat.mode & 0o022) !== 0)
    throw new InvalidInputError(`${file} can be written by others: chmod 600 ${file}`);
  const { entries, problems: found } = readConfigText(readText(file));
  for (const { line, message } of found) problems.push(`config.yaml:${line}: ${message}`);
  for (const { name, line } of entries) {
    if (!Object.hasOwn(SETTINGS, name)) problems.push(`config.yaml:${line}: ${whyUnknown(name)}`);
  }
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidInputError(`${file} cannot be read by this user: it must be yours, mode 600`, { cause });
  }
}

function whyUnknown(name: string): string {
  if (name === 'BOT_BOTTLE_HOME') return 'BOT_BOTTLE_HOME says where this file is; set it in the environment';
  const isSecret = /TOKEN|SECRET|PASSWORD|KEY/i.test(name);
  const hint = guess(name) ?? (isSecret ? '; secrets are files: bot-bottle secret set <name>' : '');
  return `unknown setting ${quoted(name)}${hint}`;
}

function describe(
  name: SettingName,
  setting: Setting<unknown>,
  raw: RawValue,
  value: unknown,
): EffectiveSetting {
  const isPath = typeof value === 'string' && setting.type === 'path';
  return {
    name,
    value: isPath ? value : raw.text,
    source: raw.source,
    ...(raw.line === undefined ? {} : { line: raw.line }),
    ...(setting.secret && isPath ? { secret: inspectSecret(value).kind } : {}),
  };
}

/** First words that variables of other programs have, too; a setting of one word has none. */
const SHARED = new Set(['', 'API', 'GC', 'LOG', 'MODEL', 'REGISTRY', 'TEMPORAL', 'WORKER']);
const OURS = new Set(SETTING_ROWS.map(([name]) => firstWord(name)).filter((word) => !SHARED.has(word)));
const NAMES = ['BOT_BOTTLE_HOME', ...Object.keys(SETTINGS)];

function warningsFor(config: Config, effective: readonly EffectiveSetting[], env: Environment): string[] {
  const warnings: string[] = [];
  const hasToken = effective.some(({ name, secret }) => name === 'FORGE_TOKEN_FILE' && secret !== 'missing');
  if (hasToken && publishTokenFile(config) === config.FORGE_TOKEN_FILE) {
    warnings.push(
      'one token for sidecar and publishing: who takes over a bundle can push. Set FORGE_PUBLISH_TOKEN_FILE to another one',
    );
  }
  if (config.FORGE_SECRET_SCAN === 'off') {
    warnings.push(
      'FORGE_SECRET_SCAN is off: keys and passwords that an agent commits are pushed. Only the secrets of this home are looked for',
    );
  }
  for (const name of Object.keys(env)) {
    if (NAMES.includes(name)) continue;
    const meant = guess(name);
    // Of all others only what looks like a slip: the environment belongs to other programs, too.
    if (meant !== undefined || OURS.has(firstWord(name)))
      warnings.push(`${quoted(name)} in the environment is no setting${meant ?? ''}`);
  }
  return warnings;
}

function firstWord(name: string): string {
  return /^[A-Z]+(?=_)/.exec(name)?.[0] ?? '';
}

function guess(name: string): string | undefined {
  const meant = nearName(name, NAMES);
  return meant && `: did you mean ${meant}?`;
}

function place(raw: RawValue): string {
  return raw.source === 'file'
    ? `config.yaml:${raw.line ?? 0}: `
    : raw.source === 'environment'
      ? 'environment: '
      : '';
}
