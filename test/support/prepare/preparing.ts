/** The real activity that prepares turns, over real stores, with a forge in memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import type { PrepareTurnInput } from '../../../src/activities/ports/inputs.js';
import type { PrepareTurnOutcome } from '../../../src/domain/run/events.js';
import { prepareTurn } from '../../../src/activities/prepare/prepare-turn.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { commentKey, textHash } from '../../../src/domain/forge/reference-key.js';
import type { Trigger, WakeReference } from '../../../src/domain/run/events.js';
import type { Database } from '../../../src/domain/run/stores.js';
import { sampleHome } from '../host/sample-home.js';
import { ALICE, BOT, FakeForge, user } from '../webhook/fake-forge.js';
import { useNewPaths } from '../webhook/temp-dir.js';

export const SLUG = 'coder-alice-demo-12-abc12';
export const MALLORY = user('mallory', 66);
export const ACT_AT = 1_700_000_000_000;
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

type Ready = Extract<PrepareTurnOutcome, { kind: 'ready' }>['prepared'];

/** Opened anew for each test of the suite. */
export function usePreparing(): Preparing {
  const newPath = useNewPaths();
  const world = new Preparing();
  beforeEach(() => world.open(newPath()));
  afterEach(() => world.database.close());
  return world;
}

export class Preparing {
  forge!: FakeForge;
  database!: Database;
  ports!: HomePorts;

  async open(home: string): Promise<void> {
    mkdirSync(home);
    this.forge = new FakeForge();
    this.forge.putIssue(12, { labels: ['bot-bottle:coder'], assignees: [BOT] });
    this.database = await openDatabase(`${home}/bot-bottle.db`);
    const own = {
      forgeFor: () => this.forge.bind(),
      blobs: new LocalBlobStore(home),
      database: this.database,
      clock: { now: () => ACT_AT + 5_000 },
    };
    this.ports = sampleHome(own, { dayBudget: { turns: 3, tokens: 1_000, microUsd: 5_000_000 } });
  }

  readonly input = (
    changes: Partial<PrepareTurnInput> = {},
    trigger: Partial<Trigger> = {},
  ): PrepareTurnInput => ({
    workflowId: 'gitea:alice/demo#12',
    subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    slug: SLUG,
    turn: 1,
    trigger: {
      agent: 'coder',
      bottles: [],
      actor: 'alice',
      actAt: ACT_AT,
      actId: 2,
      textHash: textHash({ title: 'Issue 12', body: 'text', ref: '' }, sha256),
      pull: null,
      ...trigger,
    },
    cause: { kind: 'first' },
    references: [],
    omitted: 0,
    limit: null,
    session: (changes.turn ?? 1) === 1 ? 'first' : 'resumed',
    dayIsLifted: false,
    prNumber: null,
    host: null,
    repoId: 7,
    ...changes,
  });

  readonly ready = async (
    changes: Partial<PrepareTurnInput> = {},
    trigger: Partial<Trigger> = {},
  ): Promise<Ready & { readonly prompt: string }> => {
    const outcome = await prepareTurn(this.ports, this.input(changes, trigger));
    assert.ok(outcome.kind === 'ready', JSON.stringify(outcome));
    return { ...outcome.prepared, prompt: await this.ports.blobs.getText(outcome.prepared.promptRef) };
  };

  /** Its reason; another outcome's kind. */
  readonly refusal = async (trigger: Partial<Trigger> = {}): Promise<string> => {
    const outcome = await prepareTurn(this.ports, this.input({}, trigger));
    return outcome.kind === 'refused' ? outcome.reason : outcome.kind;
  };

  readonly comment = (id: number, body: string, author = ALICE): WakeReference => {
    this.forge.putComment(id, author, body);
    const key = commentKey({ id, body }, sha256);
    return { key, kind: 'comment', number: 12, id, sha: '', author: author.login, at: 0 };
  };

  /** A comment wakes the run, and its session is gone. */
  readonly lost = (): Pick<PrepareTurnInput, 'references' | 'session'> => ({
    references: [this.comment(1, 'go on')],
    session: 'lost',
  });
}
