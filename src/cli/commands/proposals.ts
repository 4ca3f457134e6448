import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { DecidedProposal } from '../../domain/run/stores.js';
import { modifiedProposal, plainFile } from '../../domain/supervise/modified-proposal.js';
import { MAX_JUSTIFICATION_BYTES, PROPOSAL_TOOLS, shortProposalId } from '../../domain/supervise/proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { utf8Length } from '../../domain/text/untrusted-text.js';
import {
  agreedEdit,
  scopeOptions,
  tellWritten,
  writeEdit,
  type ScopeFlags,
} from '../bottle-scope/for-bottle.js';
import { answered, closing, namesTheOthers, type CommandContext } from '../base/action.js';
import type { CliDeps, EditedText } from '../base/deps.js';
import { CliError, failureOf, notFound, refused } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { readGiven } from '../base/read-given.js';
import { printJson, printLine } from '../base/output.js';
import {
  inEffect,
  type Decided,
  type Decision,
  type NotDecided,
  type ProposalReader,
} from '../base/proposal-desk.js';
import { decisionDocument, listedProposalDocument, proposalDocument } from '../base/proposal-documents.js';
import { stateText, TAKES_EFFECT } from '../base/proposal-words.js';
import { listText, showText } from './proposal-text.js';

interface Flags extends ScopeFlags {
  readonly notes?: string;
  readonly reason?: string;
  readonly withNetwork?: true;
  readonly file?: string;
}

const ID = 'its id, or the first characters of it, at least 4';
const NOTES = 'what the agent is told with it';

/** `proposals`, and what is said to one of them. */
export function proposalCommands(root: Command, context: CommandContext): void {
  const { deps, action } = context;
  const group = root.command('proposals').description('Look at what agents ask for, and decide it');
  const listing = group
    .command('list', { isDefault: true })
    .description('List what agents have asked for and nobody has decided (the default of “proposals”)')
    .option('--json', 'as JSON; times are epoch milliseconds');
  namesTheOthers(listing);
  // Who only looks waits for no client of Temporal's.
  action<Flags>(listing, ({ json = false }) => closing(deps.proposals(), (desk) => list(deps, desk, json)));

  const show = group
    .command('show')
    .description('What an agent asks for, why, and what it would change')
    .argument('<id>', ID)
    .option('--json', 'as JSON; times are epoch milliseconds');
  action<Flags>(show, ({ json = false }, [id = '']) =>
    closing(deps.proposals(), (desk) => showOne(deps, desk, id, json)),
  );

  decisionCommand(group, context, {
    name: 'approve',
    about: 'Let it take effect: in the bottle that runs, or from the run’s next turn on',
    options: (command) =>
      scopeOptions(
        command
          .option(
            '--with-network',
            'of an image: its steps run as root with a network that no allowlist limits',
          )
          .option('--notes <text>', NOTES),
      ),
    decide: ({ notes, withNetwork }, shown) => {
      if (withNetwork === true && shown.change.kind !== 'image')
        throw new InvalidInputError('--with-network is for proposals of an image');
      const network = withNetwork === true ? { withNetwork } : {};
      return { decision: { verdict: 'approve', notes: wordsOf('--notes', notes), ...network } };
    },
  });
  decisionCommand(group, context, {
    name: 'modify',
    about: 'Let your version of it take effect; opens VISUAL or EDITOR on it',
    options: (command) =>
      scopeOptions(
        command.option('--file <path>', 'the whole file as you want it').option('--notes <text>', NOTES),
      ),
    decide: async ({ notes: given, file }, shown) => {
      const notes = wordsOf('--notes', given);
      const { own, edited } = await modified(deps, shown, file);
      return { decision: { verdict: 'modify', modified: own, notes }, edited };
    },
  });
  decisionCommand(group, context, {
    name: 'reject',
    about: 'Change nothing, and tell the agent why',
    options: (command) => command.requiredOption('--reason <text>', 'what the agent is told'),
    decide: ({ reason = '' }) => ({
      decision: { verdict: 'reject', notes: wordsOf('--reason', reason) ?? '' },
    }),
  });
}

interface Verb {
  readonly name: string;
  readonly about: string;
  readonly options: (command: Command) => Command;
  readonly decide: (flags: Flags, shown: ShownProposal) => Ready | Promise<Ready>;
}

interface Ready {
  readonly decision: Decision;
  /** To be kept until the decision is accepted. */
  readonly edited?: EditedText | undefined;
}

function decisionCommand(group: Command, { deps, action }: CommandContext, verb: Verb): void {
  const command = verb
    .options(group.command(verb.name).description(verb.about).argument('<id>', ID))
    .option('--json', 'as JSON');
  action<Flags>(command, (flags, [id = '']) =>
    closing(deps.orchestrator(), async (desk) => {
      const row = await find(desk, id);
      if (row.decision !== null) throw refused(`it was ${stateText(row.decision)}`);
      const { shown } = await desk.proposal(row);
      const { decision, edited } = await verb.decide(flags, shown);
      const effective = inEffect(decision, shown);
      const change = effective?.change ?? null;
      const agreed = async (): Promise<{ edit: Awaited<ReturnType<typeof agreedEdit>>; answer: Decided }> => {
        const edit = await agreedEdit(deps, desk, { slug: row.slug, change }, flags);
        const builds = row.tool === 'capability-block' && effective !== null;
        if (builds)
          deps.io.stderr.write('building its image, which may take minutes; it goes on if you leave\n');
        const answer = desk.decide(row, decision);
        return { edit, answer: accepted(row, await (builds ? answer : answered(deps, answer))) };
      };
      const { edit, answer } = await agreed().catch((error: unknown) => {
        throw withPlace(error, edited);
      });
      await edited?.remove();
      const document = decisionDocument(row.id, answer, effective);
      // The decision first: it may be refused.
      const manifest = edit === null ? null : await writeEdit(edit);
      if (flags.json) printJson(deps.io, manifest === null ? document : { ...document, manifest });
      else {
        const { slug, status, effect, changes } = document;
        printLine(deps.io, `${shortProposalId(row.id)} of ${slug}: ${status}, ${TAKES_EFFECT[effect]}`);
        for (const line of changes) printLine(deps.io, `  ${line}`);
        if (manifest !== null) tellWritten(deps, manifest);
      }
      if (manifest !== null && manifest.problem !== null) return EXIT.failed;
      return EXIT.ok;
    }),
  );
}

/** Errors: `CliError` when nothing takes effect. */
function accepted({ slug }: DecidedProposal, answer: Decided | NotDecided): Decided {
  if (answer.kind === 'not_found') throw notFound(`${slug} is gone`);
  if (answer.kind === 'refused') throw refused(answer.reason);
  if (answer.status === 'failed')
    throw refused(['the image cannot be built', ...setIn(answer.why ?? '')].join('\n'));
  return answer;
}

/** What the steps of an agent's image printed: no line of it passes for one of ours. */
function setIn(output: string): string[] {
  return output.split('\n').map((line) => `  ${line}`.trimEnd());
}

async function list({ io }: CliDeps, desk: ProposalReader, json: boolean): Promise<number> {
  const rows = await desk.proposals();
  if (json) printJson(io, { proposals: rows.map(listedProposalDocument) });
  else if (rows.length === 0) printLine(io, 'no proposal waits');
  else io.stdout.write(listText(rows, Date.now()));
  return EXIT.ok;
}

async function showOne({ io }: CliDeps, desk: ProposalReader, id: string, json: boolean): Promise<number> {
  const row = await find(desk, id);
  const detail = await desk.proposal(row);
  if (json) printJson(io, proposalDocument(row, detail));
  else io.stdout.write(showText(row, detail, Date.now()));
  return EXIT.ok;
}

/** Among the decided ones too: an id that was meant for one of those must not hit another. */
async function find(desk: ProposalReader, text: string): Promise<DecidedProposal> {
  const prefix = text.toLowerCase();
  if (!/^[0-9a-f]{4,32}$/.test(prefix))
    throw new InvalidInputError(
      `"${text}" is no proposal’s id, nor the first characters of one, at least 4: bot-bottle proposals lists them`,
    );
  const [found, ...others] = await desk.findProposals(prefix);
  if (found === undefined)
    throw notFound(`no proposal ${prefix}: bot-bottle proposals lists those that wait`);
  if (others.length > 0) {
    const ids = [found, ...others].map(
      ({ id, slug, decision }) => `  ${id} of ${slug}, ${stateText(decision)}`,
    );
    throw new InvalidInputError([`several proposals begin with ${prefix}:`, ...ids].join('\n'));
  }
  return found;
}

async function modified(
  deps: CliDeps,
  shown: ShownProposal,
  path?: string,
): Promise<{ readonly own: ShownProposal; readonly edited?: EditedText }> {
  const { file: name } = PROPOSAL_TOOLS[shown.proposal.tool];
  if (path !== undefined) return { own: checked(name, shown, await readGiven('--file', path)) };
  const before = plainFile(shown);
  const edited = await deps.edit(name, before);
  if (edited.text === before) {
    await edited.remove();
    throw new InvalidInputError('you changed nothing, so nothing was sent: approve it, or reject it');
  }
  return { own: checked(name, shown, edited.text, edited), edited };
}

function checked(name: string, shown: ShownProposal, text: string, edited?: EditedText): ShownProposal {
  const read = modifiedProposal(shown, text);
  if (read.kind === 'modified') return read.shown;
  const problems = read.problems.map((problem) => `  ${problem}`);
  throw new InvalidInputError(
    [`this ${name} cannot be used, so nothing was sent:`, ...problems, ...whereItIs(edited)].join('\n'),
  );
}

function whereItIs(edited: EditedText | undefined): string[] {
  return edited === undefined ? [] : [`your version is ${edited.path}: give it with --file`];
}

/** As many bytes as an agent's own words may have. */
function wordsOf(flag: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.trim() === '') throw new InvalidInputError(`${flag} is empty`);
  if (utf8Length(text) > MAX_JUSTIFICATION_BYTES)
    throw new InvalidInputError(`${flag} takes at most ${String(MAX_JUSTIFICATION_BYTES)} bytes`);
  return text;
}

/** The same failure, which also says where the operator's version is kept. */
function withPlace(error: unknown, edited: EditedText | undefined): unknown {
  if (edited === undefined) return error;
  const { code, exitCode, message } = failureOf(error);
  return new CliError(code, exitCode, [message, ...whereItIs(edited)].join('\n'), { cause: error });
}
