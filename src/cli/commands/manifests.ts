import type { Command } from 'commander';
import type { ManifestValue } from '../../domain/manifest/manifest-view.js';
import type { CommandContext } from '../base/action.js';
import type { CliDeps } from '../base/deps.js';
import { notFound, type CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import type { ManifestFinding, ManifestKind, ManifestLibrary, ShownManifest } from '../manifests/library.js';
import { printJson, printLine, printProblem, table } from '../base/output.js';

/** Longest value in a table; `--json` has all of it. */
const MAX_CELL = 100;

/** `agents list|show|check` and the same of bottles. */
export function manifestCommands(parent: Command, context: CommandContext, kind: ManifestKind): void {
  const { deps, action } = context;
  const group = parent.command(kind).description(`Look at the manifests of ${kind}`);

  const list = group.command('list').description(`List all ${kind}`).option('--json', 'as JSON');
  action<{ json?: true }>(list, async ({ json }) => {
    const listed = await (await deps.manifests()).list(kind);
    if (json) printJson(deps.io, { [kind]: listed });
    else {
      const header =
        kind === 'agents' ? ['AGENT', 'PROVIDER, BOTTLE', 'NOW', 'FILE'] : ['BOTTLE', 'EXTENDS', 'FILE'];
      const rows = listed.map(({ name, about, now, file, problem }) => [
        name,
        problem === null ? about : 'cannot be used',
        ...(kind === 'agents' ? [now?.provider ?? 'cannot run'] : []),
        file ?? '-',
      ]);
      deps.io.stdout.write(table(header, rows));
      for (const { problem } of listed) if (problem !== null) printProblem(deps.io, problem);
    }
    return EXIT.ok;
  });

  const show = group
    .command(kind === 'agents' ? 'show <name>' : 'show <names...>')
    .description(
      kind === 'agents'
        ? 'What is in effect, and where each value comes from'
        : 'What is in effect, merged from left to right, and where each value comes from',
    )
    .option('--json', 'as JSON');
  action<{ json?: true }>(show, async ({ json }, names) => {
    const library = await deps.manifests();
    const shown = await library.show(kind, names);
    if (shown === undefined) throw unknown(kind, await missing(library, kind, names));
    if (json) printJson(deps.io, shown);
    else printManifest(deps, shown);
    return EXIT.ok;
  });

  const check = group
    .command('check [names...]')
    .description(`Look for mistakes in these ${kind}, or all`)
    .option('--json', 'as JSON');
  action<{ json?: true }>(check, async ({ json }, names) => {
    const { checked, findings } = await checkAll(deps, kind, names);
    const wrong = findings.some(({ level }) => level === 'problem');
    if (json) printJson(deps.io, { ok: !wrong, checked, findings });
    else {
      for (const { level, message } of findings)
        printProblem(deps.io, level === 'warning' ? `warning: ${message}` : message);
      printLine(deps.io, `${String(checked.length)} ${kind} checked: ${wrong ? 'there are problems' : 'ok'}`);
    }
    return wrong ? EXIT.failed : EXIT.ok;
  });
}

async function checkAll(
  deps: CliDeps,
  kind: ManifestKind,
  names: readonly string[],
): Promise<{ readonly checked: readonly string[]; readonly findings: readonly ManifestFinding[] }> {
  const library = await deps.manifests();
  const checked = names.length > 0 ? names : (await library.list(kind)).map(({ name }) => name);
  const findings = names.length > 0 ? [] : [...(await library.misnamed(kind))];
  for (const name of checked) {
    const found = await library.check(kind, name);
    if (found === undefined) throw unknown(kind, [name]);
    // What a bottle extends is wrong for whatever extends it, and is told once.
    findings.push(...found.filter((one) => !findings.some(({ message }) => message === one.message)));
  }
  return { checked, findings };
}

function printManifest({ io }: CliDeps, { name, layers, values, now, body }: ShownManifest): void {
  printLine(io, `${name}, from ${layers.map(({ file }) => file).join(', ')}`);
  if (now !== null) printLine(io, `plays it now: ${now.provider ?? 'none'}: ${now.why}`);
  io.stdout.write(table(['KEY', 'VALUE', 'FROM'], values.map(row)));
  if (body === '') return;
  io.stdout.write('\n');
  for (const line of body.split('\n')) printLine(io, line);
}

function row({ key, value, from }: ManifestValue): string[] {
  return [key, cell(value), from.length === 0 ? 'default' : from.join(', ')];
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : short(value.join(', '));
  if (typeof value === 'string') {
    const [first = '', ...more] = value.trimEnd().split('\n');
    return short(first) + (more.length === 0 ? '' : ` … (${String(more.length + 1)} lines)`);
  }
  return short(JSON.stringify(value));
}

function short(text: string): string {
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

/** Those that do not exist: who gave several should not look for one that does. */
async function missing(
  library: ManifestLibrary,
  kind: ManifestKind,
  names: readonly string[],
): Promise<readonly string[]> {
  const there = new Set((await library.list(kind)).map(({ name }) => name));
  return names.filter((name) => !there.has(name));
}

function unknown(kind: ManifestKind, names: readonly string[]): CliError {
  return notFound(
    `no such manifest among the ${kind}, ${names.join(', ')}: bot-bottle ${kind} list has them`,
  );
}
