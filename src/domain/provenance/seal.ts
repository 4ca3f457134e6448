/** What a seal says: an in-toto Statement v1 whose subjects are the run's record and the commits that it published. */
import { hasFields } from '../base/is-record.js';
import { digestOfText } from './chain.js';
import type { LedgerEntry, Seal } from './record.js';

/** https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** Of our own: there is none for runs of agents that others agreed on. */
export const SEAL_PREDICATE = 'urn:bot-bottle:provenance:seal:v1';
export const EXPORT_PREDICATE = 'urn:bot-bottle:provenance:export:v1';
export const IN_TOTO_PAYLOAD = 'application/vnd.in-toto+json';

export type SealReason = Seal['reason'];

export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

export interface SealPredicate {
  readonly slug: string;
  /** Among the run's seals, from 1. */
  readonly n: number;
  /** Digest of the envelope of the seal before; empty for the first. */
  readonly previous: string;
  readonly reason: SealReason;
  /** Epoch milliseconds. */
  readonly at: number;
  /** How many entries of the run it covers, and the hash of the last one. */
  readonly entries: number;
  readonly head: string;
}

/** A signer's answer. */
export interface Signed {
  /** SHA-256 of the public key (its DER), in hex. */
  readonly keyId: string;
  /** A DSSE envelope as JSON text. */
  readonly envelope: string;
}

export interface Signer {
  /** Errors: `SigningKeyError`. */
  sign(statement: Statement): Signed;
}

/** What an envelope holds, once its signature is good. */
export type OpenedEnvelope =
  | { readonly kind: 'opened'; readonly statement: Statement; readonly keyId: string }
  /** `claims`: what it says it holds, signed by nobody; `null` when that cannot be read. */
  | { readonly kind: 'problem'; readonly problem: string; readonly claims: Statement | null };

export interface EnvelopeReader {
  /** Never throws: whoever made it may have been anybody. */
  open(envelope: string): OpenedEnvelope;
}

/** The subjects of a statement on a run. @param commits hex; SHA-1 or SHA-256, as the repository has it */
export function subjectsOf(slug: string, head: string, commits: readonly string[]): Statement['subject'] {
  return [
    { name: `run:${slug}`, digest: { sha256: head } },
    ...commits.map((commit) => ({ name: `commit:${commit}`, digest: { gitCommit: commit } })),
  ];
}

/** Whether there is something to seal that is not sealed already. @param head the run's newest entry @param last its newest seal */
export function needsSeal(head: LedgerEntry, last: Seal | undefined, reason: SealReason): boolean {
  return last?.entries !== head.n || last.reason !== reason;
}

/** The next seal of a run. */
export function nextSeal(
  signer: Signer,
  run: {
    readonly head: LedgerEntry;
    readonly last: Seal | undefined;
    readonly commits: readonly string[];
  },
  now: { readonly reason: SealReason; readonly at: number },
): Seal {
  const { head, last } = run;
  const { slug } = head;
  const n = (last?.n ?? 0) + 1;
  const predicate: SealPredicate = {
    slug,
    n,
    previous: last === undefined ? '' : digestOfText(last.envelope),
    reason: now.reason,
    at: now.at,
    entries: head.n,
    head: head.hash,
  };
  const { keyId, envelope } = signer.sign({
    _type: STATEMENT_TYPE,
    subject: subjectsOf(slug, head.hash, run.commits),
    predicateType: SEAL_PREDICATE,
    predicate,
  });
  return { slug, n, at: now.at, reason: now.reason, entries: head.n, keyId, envelope };
}

/** The predicate of a seal's statement; `undefined` when it is something else. */
export function sealPredicate({ predicateType, predicate }: Statement): SealPredicate | undefined {
  const isOurs =
    predicateType === SEAL_PREDICATE &&
    hasFields(predicate, ['n', 'at', 'entries'], ['slug', 'previous', 'reason', 'head']);
  return isOurs ? (predicate as SealPredicate) : undefined;
}
