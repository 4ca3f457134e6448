import type { Command } from 'commander';
import { hasExpired, isApiScope } from '../../domain/api/api-token.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { durationOf, type CommandContext } from '../base/action.js';
import { notFound } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine, table } from '../base/output.js';

const MAX_NAME = 100;

interface CreateFlags {
  readonly scope: string;
  readonly expires: string;
  readonly name: string;
  readonly json?: true;
}

/** `token create|list|revoke`: who may use the HTTP API. */
export function tokenCommands(root: Command, context: CommandContext): void {
  const parent = root.command('token').description('Tokens of the HTTP API');
  create(parent, context);
  list(parent, context);
  revoke(parent, context);
}

function create(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('create')
    .description('Make a token and show it, once')
    .requiredOption('--scope <scope>', 'read, or operate, which may read, too')
    .option('--expires <duration>', 'how long it is good for, at most a year', '30d')
    .option('--name <name>', 'what it is for', '')
    .option('--json', 'as JSON; times are epoch milliseconds');
  action<CreateFlags>(command, async ({ scope, expires, name, json }) => {
    if (!isApiScope(scope)) throw new InvalidInputError('--scope must be read or operate');
    if (name.length > MAX_NAME)
      throw new InvalidInputError(`--name is longer than ${String(MAX_NAME)} characters`);
    const lastsMs = durationOf('--expires', expires);
    if (lastsMs === 0) throw new InvalidInputError('--expires 0 would make a token that is good for nothing');
    const { token, secret } = await (await deps.apiTokens()).create({ scope, name, lastsMs });
    if (json) printJson(deps.io, { token: { ...token, secret } });
    else {
      printLine(deps.io, secret);
      const until = new Date(token.expiresAt).toISOString();
      deps.io.stderr.write(`token ${token.id}, scope ${scope}, until ${until}; it is not shown again\n`);
    }
    return EXIT.ok;
  });
}

function list(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('list')
    .description('List the tokens, without what they are')
    .option('--json', 'as JSON; times are epoch milliseconds');
  action<{ json?: true }>(command, async ({ json }) => {
    const tokens = await (await deps.apiTokens()).list();
    if (json) printJson(deps.io, { tokens });
    else if (tokens.length === 0) printLine(deps.io, 'no tokens');
    else {
      const now = Date.now();
      const cells = tokens.map((token) => [
        token.id,
        token.scope,
        hasExpired(token, now) ? 'expired' : new Date(token.expiresAt).toISOString(),
        token.name,
      ]);
      deps.io.stdout.write(table(['ID', 'SCOPE', 'UNTIL', 'NAME'], cells));
    }
    return EXIT.ok;
  });
}

function revoke(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('revoke <id>')
    .description('End a token; the next request with it is refused')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, async ({ json }, [id = '']) => {
    if (!(await (await deps.apiTokens()).revoke(id)))
      throw notFound('there is no token of that id: bot-bottle token list has them');
    if (json) printJson(deps.io, { revoked: id });
    else printLine(deps.io, `revoked ${id}`);
    return EXIT.ok;
  });
}
