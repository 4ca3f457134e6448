import { ForgeHttpError, isNotFound } from '../../domain/base/errors.js';
import type { FeedSource, FeedSubject, ForgeFeed } from '../../domain/forge/forge-feed.js';
import { sourceName } from '../../domain/forge/forge-feed.js';
import type { Place } from '../../domain/forge/issue.js';
import type { ListCursor, PullKey, ReconcileState } from '../../domain/upkeep/reconcile.js';
import { isRowIn } from '../../domain/run/rows.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { afterPage, askSince, freshCursor } from './list-cursor.js';
import { lookAtPull } from './look-at-pull.js';
import { backFinding, changedFindings, commentFindings, missingFinding } from './plan-findings.js';
import type { KnownRun, Planned } from './plan-findings.js';
import type { PostBox } from './post-box.js';
import { inTurn, movedName } from './prepare-state.js';
import { PassEnded } from './request-budget.js';

export interface PassWorld {
  /** Errors: also `PassEnded`, when the pass has asked for enough. */
  readonly feed: ForgeFeed;
  readonly box: PostBox;
  readonly sources: readonly FeedSource[];
  /** Those that go on. */
  readonly runs: readonly KnownRun[];
  /** Rows of the runs whose issue or pull request it is, whether they go on or not. */
  readonly rowsOf: (place: Place, number: number) => Promise<readonly ForgeStateRow[]>;
  readonly serves: (owner: string, repo: string) => boolean;
  /** When the pass began, epoch milliseconds. */
  readonly startedAt: number;
  /** A step begins. */
  readonly onStep: () => void;
  /** Something on the forge cannot be read, and the pass goes on without it. */
  readonly onSkipped: (what: string, error: ForgeHttpError) => void;
}

/** One thing to read. */
interface Job {
  readonly name: string;
  /** One step of it. Answers whether it is through. */
  readonly work: () => Promise<boolean>;
  readonly pull?: PullKey;
}

/**
 * One pass over the forge, in steps: read something, post what was found, and only then move the state on. So the state
 * is right wherever a step is broken off. Everything gets its turn once; the next pass begins where this one ended.
 */
export class Pass {
  readonly #queue: Job[];
  readonly #places = new Map<number, Place | undefined>();
  #state: ReconcileState;

  /** @param state prepared for this pass */
  constructor(
    private readonly world: PassWorld,
    state: ReconcileState,
  ) {
    this.#state = state;
    const jobs: Job[] = [
      ...world.sources.map((source) => ({
        name: `changes of ${sourceName(source)}`,
        work: () => this.#readChanges(sourceName(source), source),
      })),
      ...Object.entries(state.ids).map(([name, id]) => ({
        name: `changes of ${name}, where it is now`,
        work: () => this.#readMoved(name, id),
      })),
      ...Object.keys(state.comments).map((key) => ({
        name: `comments of repository ${key}`,
        work: () => this.#readComments(key),
      })),
      ...state.pulls.map((pull) => this.#lookAt(pull)),
      ...world.runs.map((run) => ({ name: `run ${run.row.slug}`, work: () => this.#lookAtRun(run) })),
    ];
    this.#queue = inTurn(jobs, ({ name }) => name, state.next);
  }

  /** What the next pass begins with, as far as this one got. */
  get state(): ReconcileState {
    return {
      ...this.#state,
      next: this.#queue[0]?.name ?? null,
      pulls: this.#queue.flatMap(({ pull }) => pull ?? []),
      posted: this.world.box.posted,
    };
  }

  /** Errors: `PassEnded`, `ForgeHttpError`: the state stands where it got to. */
  async run(): Promise<void> {
    for (let [job] = this.#queue; job !== undefined; [job] = this.#queue) {
      this.world.onStep();
      await this.#step(job);
    }
  }

  /**
   * What the forge refuses for itself is left out till the next pass; at any other failure of the forge it waits behind the
   * others, so that they get their turn.
   */
  async #step(job: Job): Promise<void> {
    try {
      if (await job.work()) this.#queue.shift();
    } catch (error) {
      if (error instanceof PassEnded || isWish(error)) throw error;
      this.#queue.shift();
      if (!(error instanceof ForgeHttpError && isOnlyHere(error))) {
        this.#queue.push(job);
        throw error;
      }
      this.world.onSkipped(job.name, error);
    }
  }

  #lookAt(pull: PullKey): Job {
    const { repoId, number } = pull;
    return {
      pull,
      name: `pull request ${String(number)} of repository ${String(repoId)}`,
      work: async () => {
        const place = await this.#placeOf(repoId);
        if (place !== undefined) await this.#lookAtPull(place, number);
        return true;
      },
    };
  }

  async #readChanges(name: string, source: FeedSource): Promise<boolean> {
    const { feed, box } = this.world;
    const cursor = this.#state.lists[name] ?? freshCursor(null);
    const page = await feed.changed(source, askSince(cursor), cursor.page);
    this.#learn(source, page.items);
    const wanted = page.items.filter(({ place }) => this.#isWanted(place));
    for (const subject of wanted) {
      const findings = await this.#changed(subject);
      const news = (await box.post(findings)) || findings.length === 0;
      if (news && this.#mayBeOfRun(subject))
        this.#add(this.#lookAt({ repoId: subject.place.repoId, number: subject.number }));
    }
    const after = afterPage(cursor, page);
    this.#state = { ...this.#state, lists: { ...this.#state.lists, [name]: after.cursor } };
    return after.through;
  }

  /** A repository that had the name when it was first read, and has another one now. */
  async #readMoved(name: string, id: number): Promise<boolean> {
    const place = await this.#placeOf(id);
    if (place === undefined) return true;
    const source = { kind: 'repository', owner: place.owner, repo: place.repo } as const;
    if (sourceName(source).toLowerCase() === name.toLowerCase()) return true;
    return this.#readChanges(movedName(id), source);
  }

  #learn(source: FeedSource, [first]: readonly FeedSubject[]): void {
    const name = sourceName(source);
    if (source.kind !== 'repository' || first === undefined || name in this.#state.ids) return;
    if (this.#isKnown(first.place)) return;
    this.#state = { ...this.#state, ids: { ...this.#state.ids, [name]: first.place.repoId } };
  }

  #add(job: Job): void {
    if (!this.#queue.some(({ name }) => name === job.name)) this.#queue.push(job);
  }

  async #readComments(key: string): Promise<boolean> {
    const { feed, box, runs } = this.world;
    const cursor = this.#state.comments[key];
    const since = cursor === undefined ? null : askSince(cursor);
    if (cursor === undefined || since === null) return true;
    // Asked by its id each time: under an old name there may be another repository by now.
    const place = await this.#placeOf(Number(key));
    if (place === undefined) return true;
    const page = await feed.comments(place, since, cursor.page);
    for (const comment of page.items) await box.post(commentFindings(comment, place, runs));
    const after = afterPage(cursor, page);
    this.#keepComments(key, after.cursor);
    return after.through;
  }

  #keepComments(key: string, cursor: ListCursor): void {
    this.#state = { ...this.#state, comments: { ...this.#state.comments, [key]: cursor } };
  }

  async #lookAtRun({ row }: KnownRun): Promise<boolean> {
    const { feed, box, startedAt } = this.world;
    const named: Place = { repoId: row.repoId ?? 0, owner: row.owner, repo: row.repo };
    const place = row.repoId === null ? named : await this.#placeOf(row.repoId);
    const missing = (): Promise<boolean> => box.post([missingFinding(row, place ?? named, startedAt)]);
    const waits = row.reason === 'unserved';
    if (place === undefined) {
      // It may be out of sight for weeks.
      if (!waits) await missing();
      return true;
    }
    let subject: FeedSubject;
    try {
      subject = await feed.subject(place, row.issueNumber);
    } catch (error) {
      if (!isNotFound(error) || row.repoId === null) throw error;
      await missing();
      return true;
    }
    const isBack = waits && this.#isServed(subject.place);
    await box.post(isBack ? [backFinding(subject, row, startedAt)] : await this.#changed(subject));
    if (row.prNumber !== null) await this.#lookAtPull(subject.place, row.prNumber);
    return true;
  }

  async #changed(subject: FeedSubject): Promise<Planned[]> {
    return changedFindings(subject, await this.world.rowsOf(subject.place, subject.number));
  }

  async #lookAtPull(place: Place, number: number): Promise<void> {
    const { feed, box, runs } = this.world;
    const living = runs.filter(({ row }) => isRowIn(row, place));
    const seen = await lookAtPull({ feed, box, runs: living, watched: this.#state.runs }, place, number);
    this.#state = { ...this.#state, runs: { ...this.#state.runs, ...seen } };
  }

  async #placeOf(repoId: number): Promise<Place | undefined> {
    if (!this.#places.has(repoId)) this.#places.set(repoId, await this.world.feed.whereIs(repoId));
    return this.#places.get(repoId);
  }

  #isKnown({ repoId }: Place): boolean {
    return Object.values(this.#state.ids).includes(repoId);
  }

  #isServed(place: Place): boolean {
    return this.#isKnown(place) || this.world.serves(place.owner, place.repo);
  }

  #isWanted(place: Place): boolean {
    return this.#isServed(place) || this.world.runs.some(({ row }) => isRowIn(row, place));
  }

  /** A pull request whose number no run has yet may still be one's. */
  #mayBeOfRun({ isPull, place, number }: FeedSubject): boolean {
    return (
      isPull &&
      this.world.runs.some(
        ({ row }) =>
          isRowIn(row, place) &&
          (row.prNumber === null || row.prNumber === number || row.issueNumber === number),
      )
    );
  }
}

/** Statuses that say something about what was asked for, and nothing about the forge. */
const ONLY_HERE = new Set([400, 403, 413, 422, 423, 451]);

function isOnlyHere(error: ForgeHttpError): boolean {
  return isNotFound(error) || ONLY_HERE.has(error.status);
}

/** The forge wants to be left alone. */
export function isWish(error: unknown): error is ForgeHttpError {
  return error instanceof ForgeHttpError && (error.status === 429 || error.retryAfterMs !== undefined);
}
