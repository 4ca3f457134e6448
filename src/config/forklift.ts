/** Where a sync finds what it needs of its operator, and where it works: paths and variables of the fourth seed. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { InvalidInputError } from '../domain/base/errors.js';
import { errnoOf } from '../domain/base/errno.js';
import { OPENCODE_KEYS, parseOpencodeEnv, type OpencodeEnv } from '../domain/sync/opencode-env.js';
import type { OpencodeOrder } from '../domain/sync/sync.js';
import { rememberSecret, SECRET_MIN_LENGTH, whyUnfit, withFile } from './secrets.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute: `FORKLIFT_OPENCODE_ENV`, else `~/.config/forklift/opencode.env`. */
export function opencodeEnvFile(env: Environment): string {
  const given = env['FORKLIFT_OPENCODE_ENV'] ?? '';
  return given === '' ? path.join(os.homedir(), '.config/forklift/opencode.env') : path.resolve(given);
}

/** Absolute: `$XDG_STATE_HOME/forklift/runs`; a relative path there counts as none (XDG Base Directory Specification). */
export function syncRunsRoot(env: Environment): string {
  const given = env['XDG_STATE_HOME'] ?? '';
  return path.join(
    path.isAbsolute(given) ? path.resolve(given) : path.join(os.homedir(), '.local/state'),
    'forklift/runs',
  );
}

/** `ReadOpencodeEnv` */
export function readOpencodeEnv({ envFile, model, variant, agent }: OpencodeOrder): OpencodeEnv {
  const env = parseOpencodeEnv(contentOf(envFile), envFile, {
    OPENCODE_MODEL: model,
    OPENCODE_VARIANT: variant,
    OPENCODE_AGENT: agent,
  });
  const { OPENCODE_API_KEY: key } = env.values;
  // A gateway of one's own takes any word for a key, and a log without that word says little.
  if (key.length >= SECRET_MIN_LENGTH) rememberSecret(key);
  return env;
}

function contentOf(file: string): string {
  try {
    return withFile(file, (fd, stat) => {
      const unfit = whyUnfit(file, stat);
      if (unfit !== undefined) throw new InvalidInputError(unfit);
      return readFileSync(fd, 'utf8');
    });
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    const content = `${OPENCODE_KEYS.join(', ')}, each as KEY=value in a line of its own`;
    const others = '(FORKLIFT_OPENCODE_ENV names another file, --manifest an agent in its place)';
    throw new InvalidInputError(
      errnoOf(cause) === 'ENOENT'
        ? `there is no ${file}: write it with ${content}, then chmod 600 ${file} ${others}`
        : `${file} cannot be read: it must be yours, mode 600, and have ${content} ${others}`,
      { cause },
    );
  }
}
