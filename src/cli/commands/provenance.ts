import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isoTimeOf } from '../../domain/base/iso-time.js';
import type { Problem, Verdict } from '../../domain/provenance/verify-record.js';
import { KEY_COLUMNS, type RunRecord } from '../../domain/provenance/record.js';
import { markedRecord } from '../../domain/provenance/witness.js';
import { isSlug } from '../../domain/run/slug.js';
import { closing, type CommandContext } from '../base/action.js';
import type { CliDeps } from '../base/deps.js';
import { notFound } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine, table } from '../base/output.js';
import { readGiven } from '../base/read-given.js';
import type { ProvenanceDesk } from '../base/provenance-desk.js';
import { recordPage } from '../provenance-page/page.js';

const MAX_REASON = 1_000;

/** `provenance show|verify|export|prune|key|rotate-key` */
export function provenanceCommands(root: Command, context: CommandContext): void {
  const parent = root.command('provenance').description('The signed record of runs');
  showCommand(parent, context);
  verifyCommand(parent, context);
  exportCommand(parent, context);
  pruneCommand(parent, context);
  keyCommands(parent, context);
}

function showCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('show')
    .argument('<slug>', 'the run')
    .description('What was recorded of a run, and which of it is sealed')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, ({ json }, [text = '']) =>
    closing(deps.provenance(), async (desk) => {
      const slug = slugOf(text);
      const record = (await desk.record(slug)) ?? notRecorded(slug);
      if (json) printJson(deps.io, markedRecord(record));
      else deps.io.stdout.write(recordTable(record));
      return EXIT.ok;
    }),
  );
}

function verifyCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('verify')
    .argument('[slug]', 'the run; all of them without it')
    .description('Find what was changed, dropped, inserted, reordered or cut off')
    .option('--file <path>', 'look at an export instead of this machine’s record')
    .option('--key <path...>', 'with --file: trust the public keys in these files, not those of this machine')
    .option('--json', 'as JSON');
  action<{ file?: string; key?: readonly string[]; json?: true }>(command, ({ file, key, json }, [text]) =>
    closing(deps.provenance(), async (desk) => {
      if (file === undefined && key !== undefined) throw new InvalidInputError('--key goes with --file');
      if (file !== undefined && text !== undefined)
        throw new InvalidInputError('an export says itself which run it is of: leave the slug out');
      const found = await verified(desk, { file, key: key ?? [], slug: text });
      const isGood = found.ledger.length === 0 && found.runs.every(({ problems }) => problems.length === 0);
      if (json) printJson(deps.io, { ok: isGood, ...found });
      else print(deps, found);
      return isGood ? EXIT.ok : EXIT.failed;
    }),
  );
}

interface Found {
  readonly runs: readonly Verdict[];
  readonly ledger: readonly Problem[];
}

async function verified(
  desk: ProvenanceDesk,
  what: {
    readonly file: string | undefined;
    readonly key: readonly string[];
    readonly slug: string | undefined;
  },
): Promise<Found> {
  if (what.file !== undefined) {
    const pems = await Promise.all(what.key.map((name) => readGiven('--key', name)));
    return { runs: [desk.verifyExport(await readGiven('--file', what.file), pems)], ledger: [] };
  }
  if (what.slug === undefined) return desk.verifyAll();
  const slug = slugOf(what.slug);
  return { runs: [(await desk.verify(slug)) ?? notRecorded(slug)], ledger: [] };
}

function print({ io }: CliDeps, { runs, ledger }: Found): void {
  if (runs.length === 0 && ledger.length === 0)
    printLine(io, 'there is nothing to verify: no run was recorded yet');
  for (const { slug, problems, entries, sealed, ended, pruned } of runs) {
    const state = pruned
      ? 'pruned'
      : ended
        ? 'ended'
        : sealed < entries
          ? `${String(entries - sealed)} not sealed yet`
          : 'goes on';
    const sum = `${String(entries)} entries, ${String(sealed)} sealed, ${state}`;
    const name = slug === '' ? '(of no run)' : slug;
    printLine(io, problems.length === 0 ? `ok       ${name}: ${sum}` : `PROBLEM  ${name}: ${sum}`);
    for (const { kind, what } of problems) printLine(io, `         ${kind}: ${what}`);
  }
  for (const { kind, what } of ledger) printLine(io, `PROBLEM  ${kind}: ${what}`);
}

function exportCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('export')
    .argument('<slug>', 'the run')
    .description('Its whole record as one signed file (DSSE, in-toto), for whoever has the public keys')
    .option('--html', 'as one page to read or print instead, which is not signed');
  action<{ html?: true }>(command, ({ html = false }, [text = '']) =>
    closing(deps.provenance(), async (desk) => {
      const slug = slugOf(text);
      const exported = html
        ? await pageOf(desk, slug)
        : `${(await desk.exported(slug)) ?? notRecorded(slug)}\n`;
      deps.io.stdout.write(exported);
      return EXIT.ok;
    }),
  );
}

function pruneCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('prune')
    .argument('<slug>', 'a run that has ended')
    .description(
      'Delete the rows of a run for good; chain, seals, operators’ commands and a signed note of it stay',
    )
    .requiredOption('--yes', 'confirm: only an earlier export keeps what is deleted')
    .option('--reason <text>', 'why, for whoever reads the record later')
    .option('--json', 'as JSON');
  action<{ reason?: string; json?: true }>(command, ({ reason, json }, [text = '']) =>
    closing(deps.provenance(), async (desk) => {
      const slug = slugOf(text);
      if (reason !== undefined && (reason.trim() === '' || reason.length > MAX_REASON))
        throw new InvalidInputError(`--reason takes 1 to ${String(MAX_REASON)} characters`);
      const { rows } = (await desk.prune(slug, reason ?? null)) ?? notRecorded(slug);
      if (json) printJson(deps.io, { slug, rows });
      else
        printLine(deps.io, `${slug}: ${String(rows)} rows are gone; the chain and a signed word of it stay`);
      return EXIT.ok;
    }),
  );
}

async function pageOf(desk: ProvenanceDesk, slug: string): Promise<string> {
  const record = (await desk.record(slug)) ?? notRecorded(slug);
  const verdict = (await desk.verify(slug)) ?? notRecorded(slug);
  return recordPage(record, { verdict, at: Date.now() });
}

function keyCommands(parent: Command, { deps, action }: CommandContext): void {
  const key = parent
    .command('key')
    .description('The public keys that verify: the one that signs now, or with --all the earlier ones too')
    .option('--all', 'also those that were replaced')
    .option('--json', 'as JSON');
  action<{ all?: true; json?: true }>(key, ({ all, json }) =>
    closing(deps.provenance(), (desk) => {
      const { current, public: keys } = desk.keys();
      if (current === null) throw notFound('nothing was signed yet: the first run makes the key');
      const shown = all ? keys : keys.filter(({ id }) => id === current);
      if (json) printJson(deps.io, { current, keys: shown });
      else for (const { pem } of shown) deps.io.stdout.write(pem);
      return EXIT.ok;
    }),
  );
  const rotate = parent
    .command('rotate-key')
    .description('Sign with a new key from now on; the earlier public keys are kept')
    .option('--json', 'as JSON');
  action<{ json?: true }>(rotate, ({ json }) =>
    closing(deps.provenance(), (desk) => {
      const id = desk.rotateKey();
      if (json) printJson(deps.io, { current: id });
      else
        printLine(
          deps.io,
          `from now on ${id} signs; give the public keys to those who verify: bot-bottle provenance key --all`,
        );
      return EXIT.ok;
    }),
  );
}

function slugOf(text: string): string {
  if (isSlug(text)) return text;
  throw new InvalidInputError('expected a slug: bot-bottle orchestrate status lists them');
}

function notRecorded(slug: string): never {
  throw notFound(`nothing is recorded of ${slug}`);
}

function recordTable({ entries, rows, seals }: RunRecord): string {
  const isPruned = seals.at(-1)?.reason === 'pruned';
  const times = new Map(
    rows.map(({ source, columns }) => {
      const key = KEY_COLUMNS[source].map((name) => columns[name] ?? null);
      const time = isoTimeOf(columns['at'] ?? columns['createdAt']);
      return [`${source} ${JSON.stringify(key)}`, time ?? 'has no time'] as const;
    }),
  );
  const lines = entries.map(({ n, source, key }) => {
    const seal = seals.find((one) => one.entries >= n);
    return [
      String(n),
      times.get(`${source} ${key}`) ?? (isPruned ? 'pruned' : 'its row is missing'),
      source,
      key,
      seal === undefined ? 'not yet' : `seal ${String(seal.n)}`,
    ];
  });
  return table(['#', 'time', 'what', 'which', 'sealed'], lines);
}
