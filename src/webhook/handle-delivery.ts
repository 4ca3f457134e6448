import type { Delivery } from '../domain/delivery.js';
import type { Observed, Trigger } from '../domain/events.js';
import { workflowIdOf } from '../domain/issue.js';
import type { ForgeUser, SubjectRef } from '../domain/issue.js';
import type { Forge, ForgeFor, Manifests } from '../domain/ports.js';
import type { ForgeStateRow } from '../domain/rows.js';
import { createAccess } from '../domain/access.js';
import type { AccessSettings } from '../domain/access.js';
import type { Acknowledger } from './acknowledge.js';
import type { WorkflowGateway } from './gateway.js';
import { observeSubject } from './observe-subject.js';
import { parseDeliveryText } from './parse-delivery.js';
import type { Hint } from './parse-delivery.js';
import { readReferences } from './read-references.js';
import { RecentKeys } from './recent-keys.js';
import type { RunLookup } from './run-lookup.js';

/** What became of a delivery; each is final. */
export type DispatchOutcome =
  | 'started' // a verified new trigger was handed to the workflow, started if need be
  | 'signalled'
  | 'no_run' // late, repeated, or about something no agent works on
  | 'covered' // a read that began after the delivery came, or that found the same just now, has been signalled
  | 'own' // the bot's own doing
  | 'not_allowed'
  | 'not_mentioned'
  | 'gone' // not on the forge any longer
  | 'malformed';

export interface DispatchSettings extends AccessSettings {
  /** `FORGE_WAKE_ON` */
  readonly wakeOn: 'every' | 'mention';
}

export interface HandleDeps {
  readonly forgeFor: ForgeFor;
  readonly runs: RunLookup;
  readonly manifests: Manifests;
  readonly gateway: WorkflowGateway;
  readonly acknowledger: Acknowledger;
  readonly settings: DispatchSettings;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The forge gives times in whole seconds: an act may really be this much later than it says. */
const FORGE_CLOCK_GRAIN_MS = 999;

/** The latest read of a subject, and what it told the workflow; `null` when there was none to tell. */
interface LastRead {
  readonly at: number;
  readonly signalled: string | null;
}

/** One act of a person comes as several deliveries within a second; each event in a workflow's history costs. */
const SAME_NEWS_MS = 5_000;

/**
 * Carries one delivery to its run's workflow: a hint that a subject changed becomes a fresh read of it, or references to
 * what somebody wrote. Errors: whatever forge and gateway throw; nothing was lost then, it may be tried again.
 */
export function createDeliveryHandler(deps: HandleDeps): (delivery: Delivery) => Promise<DispatchOutcome> {
  let bot: ForgeUser | undefined;
  const lastRead = new RecentKeys<LastRead>(10_000);

  async function whoIsBot(forge: Forge): Promise<ForgeUser> {
    return (bot ??= await forge.whoAmI());
  }

  async function references(hint: Hint, forge: Forge, subject: SubjectRef): Promise<DispatchOutcome> {
    const { settings, gateway } = deps;
    const access = createAccess(forge, settings);
    const read = await readReferences(
      { forge, access, bot: await whoIsBot(forge), wakeOn: settings.wakeOn },
      subject,
      hint,
    );
    if (read.kind !== 'references') return read.kind;
    for (const reference of read.references) {
      if ((await gateway.signal(subject, { kind: 'reference', reference })) === 'no_workflow')
        return 'no_run';
    }
    return 'signalled';
  }

  async function state(
    hint: Hint,
    forge: Forge,
    row: ForgeStateRow | undefined,
    receivedAt: number,
  ): Promise<DispatchOutcome> {
    const subject = subjectOf(hint, row);
    const id = workflowIdOf(subject);
    const readKey = `${id} ${String(hint.subject.number)}`;
    const last = lastRead.get(readKey);
    if (last !== undefined && last.at > receivedAt) return 'covered';
    const { settings, gateway, manifests, now, acknowledger } = deps;
    const access = createAccess(forge, settings);
    const bot = whoIsBot(forge);
    const seen = await observeSubject(
      { forge, access, manifests, org: settings.org, bot, now },
      subject,
      row,
      hint,
    );
    if (seen.kind === 'gone') return 'gone';
    const { event, issue, refusal } = seen;
    // Looked up again: the life that the row spoke of may have ended while the forge was being read.
    const newTrigger = newTriggerOf(event, deps.runs.find(hint), deps.runs);
    let outcome: DispatchOutcome;
    const { readAt, ...content } = event;
    const news = JSON.stringify(content);
    if (last !== undefined && readAt - last.at < SAME_NEWS_MS && last.signalled === news) return 'covered';
    const nothingNew = newTrigger === null && refusal === null && isOrdinary(event);
    if (nothingNew && hint.sender.id === (await bot).id) return 'own';
    if (newTrigger !== null) {
      const asked = { ...event, trigger: newTrigger };
      await gateway.signalWithStart(subject, asked, { title: issue.title, url: issue.url });
      outcome = 'started';
    } else {
      outcome = (await gateway.signal(subject, event)) === 'delivered' ? 'signalled' : 'no_run';
    }
    lastRead.set(readKey, { at: readAt, signalled: outcome === 'no_run' ? null : news });
    if (newTrigger !== null) acknowledger.pickedUp(forge, subject, newTrigger.actAt);
    if (refusal !== null) acknowledger.refused(forge, subject, refusal.reason, refusal.at);
    return outcome;
  }

  return async (delivery) => {
    const parsed = parseDeliveryText(delivery.eventType, delivery.body);
    if (parsed.kind !== 'hint') return 'malformed';
    const { hint } = parsed;
    const row = deps.runs.find(hint);
    const forge = deps.forgeFor(hint.subject);
    if (hint.cause.kind === 'state') return state(hint, forge, row, delivery.receivedAt);
    return references(hint, forge, subjectOf(hint, row));
  };
}

/** A run at work, and everything open: nothing that the bot does brings about anything else that a workflow must know. */
function isOrdinary({ open, triggered, prs }: Observed): boolean {
  return open && triggered && prs.every((pr) => pr.open);
}

/** The run's own subject, under the name it began with: that is its workflow's id. */
function subjectOf(hint: Hint, row: ForgeStateRow | undefined): SubjectRef {
  return row === undefined
    ? hint.subject
    : { forge: row.forge, owner: row.owner, repo: row.repo, number: row.issueNumber };
}

/** Only an act later than the one that began the last life, and than its end, begins another. */
function newTriggerOf(event: Observed, row: ForgeStateRow | undefined, runs: RunLookup): Trigger | null {
  const { trigger } = event;
  if (trigger === null || row === undefined) return trigger;
  const triggerAt = runs.triggerAtOf(row.slug);
  if (triggerAt !== undefined && trigger.actAt <= triggerAt) return null;
  const endedAt = row.destroyedAt ?? (row.status === 'destroyed' ? row.updatedAt : null);
  const grain = triggerAt === undefined ? 0 : FORGE_CLOCK_GRAIN_MS;
  return endedAt === null || trigger.actAt + grain > endedAt ? trigger : null;
}
