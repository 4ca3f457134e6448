import { SecretScanError, SecretScanOverrunError } from '../base/errors.js';
import { SecretSearch, type KnownSecret } from './secret-search.js';
import type {
  CommitRange,
  NamedText,
  SecretFinding,
  SecretScanner,
  SecretScanReport,
} from './secret-scanner.js';

/** A scanner that crashes over something twice would crash a third time; one that ran out of time has had its try. */
const ATTEMPTS = 2;

export type SecretScan =
  | { readonly kind: 'scanned'; readonly findings: readonly SecretFinding[] }
  /** Nothing is known of what was to be scanned, so it is not published. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * What stands between secrets and the forge: the rules of a scanner, and a search for the orchestrator's own secrets,
 * which are known by heart and looked for also when there is no scanner.
 */
export class SecretGuard {
  /**
   * @param scanner `null` when the operator has turned it off
   * @param known read afresh each time, so that a new secret needs no restart
   */
  constructor(
    private readonly scanner: SecretScanner | null,
    private readonly known: () => readonly KnownSecret[],
  ) {}

  /** The orchestrator's own, as they are now. */
  knownSecrets(): readonly KnownSecret[] {
    return this.known();
  }

  /** Texts as they are and as they are read: what nobody sees may be left out by whoever posts them. */
  async scanTexts(given: readonly NamedText[]): Promise<SecretScan> {
    const texts = given.flatMap(withAndWithoutInvisible);
    const search = new SecretSearch(this.known());
    const known = texts.flatMap(({ where, text, commit }) =>
      search
        .namesIn(new TextEncoder().encode(text))
        .map((name) => ({ rule: ruleOfKnown(name), where, line: null, commit: commit ?? null })),
    );
    const scan = await this.#attempt((scanner) => scanner.scanTexts(texts));
    return scan.kind === 'failed'
      ? scan
      : { kind: 'scanned', findings: unique([...known, ...scan.findings]) };
  }

  /** By the scanner's rules alone: whoever has the objects searches them too. */
  scanCommits(range: CommitRange): Promise<SecretScan> {
    return this.#attempt((scanner) => scanner.scanCommits(range));
  }

  report(scan: SecretScan): SecretScanReport {
    const findings = scan.kind === 'scanned' ? scan.findings : [];
    const outcome = scan.kind === 'failed' ? 'failed' : findings.length > 0 ? 'found' : 'clean';
    const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
    return { scanner: this.scanner?.name ?? 'off', outcome, findings: findings.length, rules };
  }

  async #attempt(work: (scanner: SecretScanner) => Promise<SecretFinding[]>): Promise<SecretScan> {
    if (this.scanner === null) return { kind: 'scanned', findings: [] };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { kind: 'scanned', findings: await work(this.scanner) };
      } catch (error) {
        if (!(error instanceof SecretScanError)) throw error;
        if (attempt === ATTEMPTS || error instanceof SecretScanOverrunError)
          return { kind: 'failed', reason: error.message };
      }
    }
  }
}

/** @param name of the secret, which says nothing of its value */
export function ruleOfKnown(name: string): string {
  return `known-secret:${name}`;
}

/** Controls, marks of direction, zero-width characters; line ends and tabs stay. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

function withAndWithoutInvisible(given: NamedText): NamedText[] {
  const text = given.text.replace(INVISIBLE, '');
  return text === given.text ? [given] : [given, { ...given, text }];
}

function unique(findings: readonly SecretFinding[]): SecretFinding[] {
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
}
