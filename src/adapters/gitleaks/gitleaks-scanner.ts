import { randomBytes } from 'node:crypto';
import { messageOf } from '../../domain/base/message-of.js';
import { InvalidInputError, SecretScanError } from '../../domain/base/errors.js';
import type {
  CommitRange,
  NamedText,
  SecretFinding,
  SecretScanner,
} from '../../domain/secret/secret-scanner.js';
import { SENTINEL_PREFIX, SENTINEL_RULE } from './gitleaks-config.js';
import { gitCommit, gitObject, writeGitObjects } from '../system/git-objects.js';
import type { ProcessEnd } from '../system/run-process.js';
import { countsIn } from './guesses.js';
import { parseReport, type ReportedFinding } from './report.js';
import { runGitleaks } from './run-gitleaks.js';
import { textDocument } from './text-document.js';

export interface GitleaksOptions {
  /** Path of the program. */
  readonly program: string;
  /** Milliseconds for one scan; 3 minutes by default. */
  readonly timeoutMs?: number;
  /** Seconds on a processor for one scan; 5 minutes by default. */
  readonly cpuSeconds?: number;
  /** Address space for one scan; 6 GiB by default, of which Go uses little. */
  readonly memoryBytes?: number;
}

export const SCAN_TIMEOUT_MS = 3 * 60_000;
const CPU_SECONDS = 5 * 60;
/** Some thousands of findings. It is parsed in one go. */
const MAX_REPORT = 2 * 1024 * 1024;
/** Told apart from gitleaks' own 1, which says that something went wrong. */
const FOUND = 7;
const ARGS = [
  ...['--no-banner', '--no-color', '--log-level=error', '--ignore-gitleaks-allow', '--redact=100'],
  ...['--gitleaks-ignore-path=/nonexistent', '--report-format=json', '--report-path=-'],
  `--exit-code=${String(FOUND)}`,
];
/** The latest date of git's. Named first, a commit of it comes before every other one in `git log`, even of that date. */
const NEWEST = '18446744073709551614';
/** As text whatever it is, with nothing that an attribute or a setting could run, and no word of the agent's. */
const LOG = [
  ...['--text', '-m', '--reverse', '--full-history', '--no-ext-diff', '--no-textconv', '--no-color'],
  ...['--no-notes', '--no-show-signature', '--no-mailmap', '--format=commit%x20%H%n'],
];

/**
 * `SecretScanner` with gitleaks (8.25 or later). gitleaks says nothing when its reading of a diff ends early, as over a
 * line that it can't parse, so each scan has a finding of ours at its end: without it, or with any word on standard
 * error, nothing is believed.
 */
export class GitleaksScanner implements SecretScanner {
  private constructor(
    readonly name: string,
    private readonly options: GitleaksOptions,
  ) {}

  /** Errors: `InvalidInputError`, with what to do, when there is no such program or it can't do the work. */
  static async start(options: GitleaksOptions): Promise<GitleaksScanner> {
    const version = await gitleaksVersion(options.program);
    const scanner = new GitleaksScanner(`gitleaks ${version}`, options);
    try {
      await scanner.scanTexts([]);
    } catch (error) {
      throw unusable(options.program, error);
    }
    return scanner;
  }

  async scanCommits(range: CommitRange): Promise<SecretFinding[]> {
    const sentinel = newSentinel();
    const blob = gitObject('blob', Buffer.from(`${sentinel}\n`));
    const last = await gitCommit({ files: [{ name: 'sentinel', blob: blob.id }], date: NEWEST });
    await writeGitObjects(range.gitDir, [blob, ...last.objects]);
    const { nameless } = range;
    const heads = [last.id, range.head, nameless.tip];
    const log = [...LOG, ...heads, '--not', `--glob=${range.knownRefs}`, nameless.base].join(' ');
    const found = await this.#run(
      ['git', ...ARGS, '--platform=none', `--log-opts=${log}`, range.gitDir],
      range.gitEnvironment,
    );
    if (!found.some(({ rule, commit }) => rule === SENTINEL_RULE && commit === last.id)) throw notAll();
    const findings = found
      .filter(({ commit }) => commit !== last.id)
      .flatMap(({ rule, file, line, commit }) => {
        if (commit !== nameless.tip) return { rule, where: file, line, commit };
        const place = nameless.placeOf(file);
        if (place === undefined) throw new SecretScanError('gitleaks reported a file that is not there');
        return countsIn(place.path, rule) ? { rule, where: place.path, line, commit: place.commit } : [];
      });
    return unique(findings).sort(inOrder);
  }

  async scanTexts(texts: readonly NamedText[]): Promise<SecretFinding[]> {
    const document = textDocument(texts, newSentinel());
    const end = document.content.split('\n').length - 1;
    const found = await this.#run(['stdin', ...ARGS], {}, document.content);
    if (!found.some(({ rule, line }) => rule === SENTINEL_RULE && line === end)) throw notAll();
    const findings = found.flatMap(({ rule, line }) => {
      const place = document.placeOf(line);
      const text = texts[place?.text ?? -1];
      if (place === undefined || text === undefined) {
        // At the end there is only ours; anywhere else it can't be told whose it is.
        if (line === end) return [];
        throw new SecretScanError('gitleaks reported a line that is in no text');
      }
      return [{ rule, where: text.where, line: place.line, commit: text.commit ?? null }];
    });
    return unique(findings).sort(inOrder);
  }

  async #run(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    input?: string,
  ): Promise<ReportedFinding[]> {
    const { program, timeoutMs = SCAN_TIMEOUT_MS, cpuSeconds = CPU_SECONDS, memoryBytes } = this.options;
    const output = await runGitleaks({
      ...{ program, args, env, input, timeoutMs, cpuSeconds, memoryBytes },
      maxOutput: MAX_REPORT,
    });
    if (output.exitCode !== FOUND || output.stderr !== '') throw failure(output);
    return parseReport(output.stdout);
  }
}

/** Errors: `InvalidInputError`, with what to do. */
export async function gitleaksVersion(program: string): Promise<string> {
  try {
    const output = await runGitleaks({
      program,
      args: ['version'],
      env: {},
      timeoutMs: 20_000,
      cpuSeconds: 20,
      maxOutput: 1024,
    });
    if (output.exitCode !== 0) throw failure(output);
    const version = output.stdout.trim();
    return /^v?\d+\.\d+\.\d+\S{0,40}$/.test(version) ? version : 'of unknown version';
  } catch (error) {
    throw unusable(program, error);
  }
}

function unusable(program: string, cause: unknown): InvalidInputError {
  const why = messageOf(cause);
  return new InvalidInputError(
    `${program} can't be used to look for secrets (${why}): run script/bootstrap --only gitleaks, or set GITLEAKS to a gitleaks 8.25 or newer`,
    { cause },
  );
}

function newSentinel(): string {
  return SENTINEL_PREFIX + randomBytes(16).toString('hex');
}

function notAll(): SecretScanError {
  return new SecretScanError('gitleaks did not come to the end of what it was given');
}

function failure({ exitCode, stderr }: ProcessEnd): SecretScanError {
  const why = stderr
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 200);
  return new SecretScanError(`gitleaks ended with ${String(exitCode)}${why === '' ? '' : `: ${why}`}`);
}

function unique(findings: readonly SecretFinding[]): SecretFinding[] {
  const byPlace = new Map(findings.map((one) => [JSON.stringify(one), one]));
  return [...byPlace.values()];
}

function inOrder(a: SecretFinding, b: SecretFinding): number {
  const key = ({ commit, where }: SecretFinding): string => `${commit ?? ''}\0${where}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : (a.line ?? 0) - (b.line ?? 0);
}
