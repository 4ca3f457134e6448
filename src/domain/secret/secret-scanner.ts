/** Something that looks like a secret, without the secret itself. */
export interface SecretFinding {
  /** The scanner's rule, or `known-secret`. */
  readonly rule: string;
  /** A path of the repository, or what the text is (`the title`); text of the agent. */
  readonly where: string;
  /** From 1; `null` where lines mean nothing. */
  readonly line: number | null;
  /** Full id; `null` for what is in no commit. */
  readonly commit: string | null;
}

export interface NamedText {
  /** What it is, for a message: `the title`. */
  readonly where: string;
  readonly text: string;
  readonly commit?: string;
}

/** Commits of a repository that is ours, on our disk, with no configuration but ours. */
export interface CommitRange {
  /** Bare repository; may be written to: it is thrown away afterwards. */
  readonly gitDir: string;
  readonly head: string;
  /** Pattern of refs whose commits are known already, such as `refs/forge/*`. */
  readonly knownRefs: string;
  /** The new contents once more, under names that no rule goes by. */
  readonly nameless: NamelessContents;
  /** The whole environment for git commands on it. */
  readonly gitEnvironment: Readonly<Record<string, string>>;
}

/** Two commits of ours: the one's difference to the other is what the new commits add, each file under a name of ours. */
export interface NamelessContents {
  readonly tip: string;
  readonly base: string;
  /** Where a file of the tip comes from. */
  placeOf(name: string): { readonly path: string; readonly commit: string } | undefined;
}

/**
 * Looks for secrets by rules. Each call answers only when everything was looked at. Errors: `SecretScanError` when the
 * scanner fails, takes too long, or can't be shown to have seen all.
 */
export interface SecretScanner {
  /** With its version, for the record: `gitleaks 8.30.1`. */
  readonly name: string;
  /** What the commits add to files, each against each of its parents. Findings in order of commit, path and line. */
  scanCommits(range: CommitRange): Promise<SecretFinding[]>;
  scanTexts(texts: readonly NamedText[]): Promise<SecretFinding[]>;
}

/** What a turn's record keeps of a scan. */
export interface SecretScanReport {
  /** `off` when nothing but our own secrets was looked for. */
  readonly scanner: string;
  readonly outcome: 'clean' | 'found' | 'failed';
  readonly findings: number;
  /** Each rule once, in alphabetical order. */
  readonly rules: readonly string[];
  /** `the comment on #12`, of a text that the agent wanted to post; a publication has none. */
  readonly of?: string;
}
