/** Which upstreams a secret may be sent to. The operator says so beside the secret; no manifest and no proposal can. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { InvalidInputError, UnusableSecretError } from '../domain/base/errors.js';
import type { SecretStanding } from '../domain/agent/agent-needs.js';
import { isOwnSecret } from '../domain/secret/secret-name.js';
import {
  readSecret,
  requireSecret,
  requireSecretName,
  secretFileProblem,
  secretsDirectory,
  writePrivate,
  writeSecret,
} from './secrets.js';

const MAX_HOSTS = 32;

/**
 * Writes `secrets/<name>` and, when hosts are given, `secrets/<name>.hosts` with them, one `host:port` a line. Without
 * hosts a binding that is there stays: a replaced secret goes where the old one went.
 * @param hosts `host` or `host:port`; 443 without a port
 * @returns the secret's file
 * @throws InvalidInputError, and nothing was changed
 */
export function writeBoundSecret(
  home: string,
  name: string,
  content: Uint8Array,
  hosts: readonly string[],
): string {
  if (hosts.length === 0) return writeSecret(home, name, content);
  if (isOwnSecret(requireSecretName(name))) throw ownSecret(name);
  if (hosts.length > MAX_HOSTS) throw new InvalidInputError(`at most ${String(MAX_HOSTS)} hosts a secret`);
  const authorities = [...new Set(hosts.map(readAuthority))].sort();
  requireSecret(content, [name, ...authorities.map((one) => `--host ${one}`)].join(' '));
  const directory = secretsDirectory(home);
  const bound = path.basename(hostsFile(home, name));
  const bind = (lines: readonly string[]): string =>
    writePrivate(directory, bound, lines.map((line) => `${line}\n`).join(''));
  // In between it is bound to nothing, where without a binding it would be the vendor's: neither does the new secret go
  // where the old one went, nor the other way round.
  bind([]);
  const file = writeSecret(home, name, content);
  bind(authorities);
  return file;
}

export interface BoundSecret {
  readonly home: string;
  readonly name: string;
  /** Upstreams that routes would send it to, `host:port`: each needs a binding. */
  readonly authorities: readonly string[];
  /** The same of the route that is made to the vendor whose secret it is: a binding only where the operator made one. */
  readonly vendors?: readonly string[];
  /** Files of the orchestrator's own secrets: whatever leads to one of them is refused. */
  readonly ownFiles: readonly string[];
}

/**
 * A secret for routes. Errors: `InvalidInputError` that says what to do, for one that is missing, the orchestrator's own
 * or not bound to each of the upstreams.
 */
export function readBoundSecret(bound: BoundSecret): string {
  return readSecret(requireBound(bound), bound.name);
}

/** Whether `readBoundSecret` would answer, without a look at the secret itself. */
export function standingOf(bound: BoundSecret): SecretStanding {
  try {
    const reason = secretFileProblem(requireBound(bound));
    return reason === undefined ? { kind: 'ready' } : { kind: 'unusable', reason };
  } catch (error) {
    if (error instanceof MissingSecretError) return { kind: 'missing' };
    if (error instanceof InvalidInputError) return { kind: 'unusable', reason: error.message };
    throw error;
  }
}

class MissingSecretError extends UnusableSecretError {}

/** @returns the secret's file */
function requireBound({ home, name, authorities, vendors = [], ownFiles }: BoundSecret): string {
  const file = path.join(home, 'secrets', requireSecretName(name));
  // Those that the settings name may have any name: they are known by their files.
  if (isOwnSecret(name) || ownFiles.some((own) => isSameFile(own, file))) throw ownSecret(name);
  const written = readHosts(hostsFile(home, name));
  const bound = written ?? [];
  const needed = written === undefined ? authorities : [...authorities, ...vendors];
  const missing = [...new Set(needed)].filter((authority) => !bound.includes(authority));
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    throw new MissingSecretError(
      `a route needs the secret ${name}, which is missing: ${remedy(name, needed)}`,
    );
  }
  if (missing.length > 0) {
    throw new UnusableSecretError(
      `a route would send the secret ${name} to ${missing.join(', ')}, to which it is not bound` +
        ` (bound to: ${bound.length === 0 ? 'nothing' : bound.join(', ')}): ${remedy(name, [...bound, ...missing])}`,
    );
  }
  return file;
}

function remedy(name: string, authorities: readonly string[]): string {
  const options = [...new Set(authorities)].map((authority) => ` --host ${authority}`).join('');
  return `bot-bottle secret set ${name}${options} < file`;
}

function ownSecret(name: string): InvalidInputError {
  return new InvalidInputError(
    `the secret ${name} is the orchestrator's own and goes to no route: give the route one of its own`,
  );
}

const HOSTS = '.hosts';

function hostsFile(home: string, name: string): string {
  return path.join(home, 'secrets', name + HOSTS);
}

/** Whether the file of this name in `secrets/` says where a secret may be sent, which is public. */
export function isHostsFile(name: string): boolean {
  return name.endsWith(HOSTS);
}

/** `undefined` where the operator has bound nothing. */
function readHosts(file: string): readonly string[] | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile() || (stat.mode & 0o022) !== 0)
    throw new UnusableSecretError(`${file} can be written by others: chmod 600 ${file}`);
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `host`, `host:port`, `[address]:port`, as a URL has them. */
function readAuthority(text: string): string {
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  const port = /:([0-9]{1,5})$/.exec(text)?.[1];
  const written = url === undefined ? '' : url.hostname + (port === undefined ? '' : `:${port}`);
  if (url === undefined || written !== text || text.includes('*'))
    throw new InvalidInputError(
      `--host takes a host in small letters or an address, such as api.example.com or registry.lan:8443`,
    );
  return `${url.hostname}:${url.port === '' ? '443' : url.port}`;
}

/** Also through another name or a link. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return (
    path.resolve(one) === path.resolve(other) || (a !== undefined && a.ino === b?.ino && a.dev === b.dev)
  );
}
