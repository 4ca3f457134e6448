/** Whether everything that was accepted reached the workflows: by the inbox's decisions and by what the workflows were sent. */

/** What became of the deliveries of the load, expected and found. */
export interface OutageEvidence {
  readonly deliveries: number;
  readonly issues: number;
  readonly commentIds: readonly number[];
  /** Still open in the inbox. */
  readonly open: number;
  readonly decisions: readonly {
    /** Of the issue. */
    readonly orderKey: string;
    readonly eventType: string;
    readonly outcome: string;
  }[];
  /** Keys of all references in the signals of all histories, as often as they stand there. */
  readonly signalledKeys: readonly string[];
}

/** What a trigger's three deliveries, and a comment's one, may have become. */
const RIGHT_OUTCOMES = { state: ['started', 'signalled', 'covered'], comment: ['signalled'] } as const;

/** What is wrong, a line each; none: everything was applied. */
export function whatWentMissing(evidence: OutageEvidence): readonly string[] {
  const { deliveries, issues, commentIds, open, decisions, signalledKeys } = evidence;
  const wrong: string[] = [];
  if (open > 0) wrong.push(`${String(open)} deliveries are still open in the inbox`);
  if (decisions.length !== deliveries)
    wrong.push(`${String(decisions.length)} decisions for ${String(deliveries)} deliveries`);
  for (const [what, count] of outcomes(decisions.filter((one) => !isRight(one))))
    wrong.push(`${String(count)} deliveries ended as ${what}`);
  // A run may be asked for by several of its trigger's deliveries; the workflow's id makes them one.
  const started = new Set(
    decisions.filter(({ outcome }) => outcome === 'started').map(({ orderKey }) => orderKey),
  );
  if (started.size !== issues) wrong.push(`${String(started.size)} of ${String(issues)} runs were started`);
  const signalled = new Set(signalledKeys.map(commentOf));
  const missing = commentIds.filter((id) => !signalled.has(id));
  if (missing.length > 0)
    wrong.push(`${String(missing.length)} comments never reached a workflow, such as ${String(missing[0])}`);
  const strangers = signalledKeys.filter((key) => !commentIds.includes(commentOf(key) ?? -1));
  if (strangers.length > 0)
    wrong.push(
      `${String(strangers.length)} references to nothing that was delivered, such as ${String(strangers[0])}`,
    );
  return wrong;
}

/** `signalled`, and how many of them; the most frequent first. */
export function outcomes(
  decisions: readonly { readonly eventType: string; readonly outcome: string }[],
): readonly (readonly [what: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { eventType, outcome } of decisions) {
    const what = `${outcome} (${eventType})`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].sort(([, x], [, y]) => y - x);
}

function isRight({ eventType, outcome }: { readonly eventType: string; readonly outcome: string }): boolean {
  const right = eventType === 'issue_comment' ? RIGHT_OUTCOMES.comment : RIGHT_OUTCOMES.state;
  return right.some((one) => one === outcome);
}

/** The comment's id in its key, see `src/domain/forge/reference-key.ts`. */
function commentOf(key: string): number | undefined {
  const id = /^comment:(\d+):/.exec(key)?.[1];
  return id === undefined ? undefined : Number(id);
}
