import { ruleOfKnown, type SecretGuard, type SecretScan } from '../../../domain/secret/secret-guard.js';
import type { NamedText, SecretFinding } from '../../../domain/secret/secret-scanner.js';
import { FORGE_REFS, quarantined, type Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { localEnvironment } from '../git-environment.js';
import { namelessContents } from './nameless-contents.js';
import { newObjects, placeOfObject, readTexts, type GitObject } from './new-objects.js';
import { searchObjects } from './search-objects.js';

const MESSAGE = 'the message, author or committer';
const FILE_NAME = 'the name of a file';
/** Finding out where an object stands is a walk each. */
const MAX_PLACED = 10;
/** Of one call of the scanner. */
const BATCH_TEXTS = 2_000;
const BATCH_CHARACTERS = 512 * 1024;

/**
 * Everything that the push and the pull request would show: contents by the scanner's reading of the commits, under
 * their names and once more without, what that does not read (messages, people, names, the texts beside the commits) as texts, and every new object for the
 * orchestrator's own secrets.
 */
export async function scanForSecrets(candidate: Candidate, guard: SecretGuard): Promise<SecretScan> {
  const objects = await newObjects(candidate);
  const work = [
    scanContents(candidate, objects, guard),
    textsOf(candidate, objects).then((all) => scanInBatches(all, guard)),
    knownSecretsIn(candidate, objects, guard),
  ] as const;
  // The quarantine is removed after this: when one of them fails, the others still write to it.
  await Promise.allSettled(work);
  const [contents, texts, known] = await Promise.all(work);
  if (contents.kind === 'failed') return contents;
  if (texts.kind === 'failed') return texts;
  return { kind: 'scanned', findings: withoutNames(known, contents.findings, texts.findings) };
}

/** A name that is a secret itself is not repeated. */
function withoutNames(...groups: readonly (readonly SecretFinding[])[]): SecretFinding[] {
  const findings = groups.flat();
  const inName = new Set(findings.filter(({ where }) => where === FILE_NAME).map(({ commit }) => commit));
  const clean = findings.map((one) =>
    inName.has(one.commit) && one.where !== MESSAGE ? { ...one, where: FILE_NAME, line: null } : one,
  );
  return [...new Map(clean.map((one) => [JSON.stringify(one), one])).values()];
}

/** A merge's difference to one parent is what the other parent brings: what is on the forge already is no finding. */
async function scanContents(
  candidate: Candidate,
  objects: readonly GitObject[],
  guard: SecretGuard,
): Promise<SecretScan> {
  const isNew = new Set(objects.map(({ id }) => id));
  const scan = await guard.scanCommits({
    gitDir: candidate.dir,
    head: candidate.head,
    knownRefs: `${FORGE_REFS}*`,
    nameless: await namelessContents(candidate, isNew),
    gitEnvironment: {
      ...localEnvironment(),
      GIT_CONFIG_COUNT: '1',
      // Names as they are: the ones that need quotes all the same were refused before.
      GIT_CONFIG_KEY_0: 'core.quotePath',
      GIT_CONFIG_VALUE_0: 'false',
    },
  });
  if (scan.kind === 'failed' || scan.findings.length === 0) return scan;
  const blobs = await blobsOf(candidate, scan.findings);
  const findings = scan.findings.filter((_, index) => {
    const blob = blobs[index];
    return blob === undefined || isNew.has(blob);
  });
  return { kind: 'scanned', findings };
}

/** The blob a finding is in, `undefined` where that can't be told. */
async function blobsOf(
  candidate: Candidate,
  findings: readonly SecretFinding[],
): Promise<(string | undefined)[]> {
  const names = findings.map(({ commit, where }) => `${commit ?? ''}:${where}`);
  const lines = await quarantined(
    candidate,
    ['cat-file', '--batch-check=%(objecttype) %(objectname)'],
    names.map((name) => `${name}\n`).join(''),
  );
  return lines.split('\n').map((line) => (line.startsWith('blob ') ? line.slice('blob '.length) : undefined));
}

async function textsOf(candidate: Candidate, objects: readonly GitObject[]): Promise<NamedText[]> {
  const { branch, texts } = candidate.request;
  const commits = objects.filter(({ type }) => type === 'commit').map(({ id }) => id);
  const messages: NamedText[] = [];
  await readTexts(candidate, commits, (commit, text) => {
    messages.push({ where: MESSAGE, text: ownWords(text), commit });
  });
  const names = new Map(
    (await changesOfCommits(candidate)).map(({ commit, path }) => [path, commit] as const).reverse(),
  );
  return [
    ...texts,
    { where: 'the name of the branch', text: branch },
    ...messages,
    ...[...names].reverse().map(([text, commit]) => ({ where: FILE_NAME, text, commit })),
  ];
}

/** One after the other, each small enough that making it up takes a few milliseconds. */
async function scanInBatches(texts: readonly NamedText[], guard: SecretGuard): Promise<SecretScan> {
  const findings: SecretFinding[] = [];
  for (const batch of batchesOf(texts)) {
    const scan = await guard.scanTexts(batch);
    if (scan.kind === 'failed') return scan;
    findings.push(...scan.findings);
  }
  return { kind: 'scanned', findings };
}

function* batchesOf(texts: readonly NamedText[]): Generator<readonly NamedText[]> {
  let batch: NamedText[] = [];
  let characters = 0;
  for (const one of texts) {
    if (
      batch.length > 0 &&
      (batch.length >= BATCH_TEXTS || characters + one.text.length > BATCH_CHARACTERS)
    ) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(one);
    characters += one.text.length;
  }
  yield batch;
}

/** A commit object without the ids in its beginning. Other headers may hold anything. */
function ownWords(commit: string): string {
  return commit.replace(/^(?:(?:tree|parent) [0-9a-f]{40}\n)+/, '');
}

/** Of the contents; messages and names are among the texts. */
async function knownSecretsIn(
  candidate: Candidate,
  objects: readonly GitObject[],
  guard: SecretGuard,
): Promise<SecretFinding[]> {
  const blobs = objects.filter(({ type }) => type === 'blob');
  const hits = await searchObjects(candidate, blobs, guard.knownSecrets());
  return Promise.all(
    hits.slice(0, MAX_PLACED).map(async ({ id, name }) => {
      const { path, commit } = await placeOfObject(candidate, id);
      return { rule: ruleOfKnown(name), where: path, line: null, commit: commit ?? candidate.head };
    }),
  );
}
