import { createHmac } from 'node:crypto';
import type { Hook } from '../../domain/forge/forge-admin.js';
import { hasWebhookPath } from './webhook-url.js';

/** The kinds of deliveries that something depends on (src/webhook/events/parse-delivery.ts), and no other. */
export const WANTED_EVENTS: readonly string[] = [
  'issue_assign',
  'issue_comment',
  'issue_label',
  'issues',
  'pull_request',
  'pull_request_assign',
  'pull_request_comment',
  'pull_request_label',
  'pull_request_review',
  'pull_request_sync',
  'status',
];

const NAME_PREFIX = 'bot-bottle ';
const NAME = /^bot-bottle ([0-9a-f]{12})$/;
const OUR_TYPES = ['gitea', 'forgejo'];

/**
 * The webhook's name tells which secret it was made with: the forge keeps that to itself. Who can read it can read
 * recorded deliveries with their signatures too, so it gives nothing away.
 */
export function hookName(secret: string): string {
  const print = createHmac('sha256', secret).update('bot-bottle webhook').digest('hex');
  return NAME_PREFIX + print.slice(0, 12);
}

export interface WantedHook {
  /** `null`: not known, as when it is only to be removed. */
  readonly url: string | null;
  /** `null`: there is no secret yet. */
  readonly name: string | null;
}

export interface HookPlan {
  readonly action:
    | { readonly kind: 'create' }
    | { readonly kind: 'keep'; readonly hook: Hook }
    /** What differs can be edited, or only be had with a new webhook: the secret, the type. */
    | { readonly kind: 'edit' | 'replace'; readonly hook: Hook; readonly differs: readonly string[] };
  /** More of ours at the same address. */
  readonly duplicates: readonly Hook[];
  /** Webhooks of another installation, or of this one before its secret and its address changed: not touched. */
  readonly strangers: readonly Hook[];
}

/** What is to be done with the webhooks of a place, so that one is there as wanted. */
export function planHook(hooks: readonly Hook[], wanted: WantedHook): HookPlan {
  const ours = hooks.filter((hook) => isOurs(hook, wanted));
  const [best, ...rest] = [...ours].sort((a, b) => closeness(b, wanted) - closeness(a, wanted));
  const duplicates = rest.filter((hook) => closeness(hook, wanted) > 0);
  const strangers = hooks.filter(
    (hook) => hook !== best && !duplicates.includes(hook) && hasWebhookPath(hook.url),
  );
  if (best === undefined) return { action: { kind: 'create' }, duplicates, strangers };
  const deep = beyondEdit(best, wanted);
  const differs = [...deep, ...editable(best, wanted)];
  const action: HookPlan['action'] =
    differs.length === 0
      ? { kind: 'keep', hook: best }
      : { kind: deep.length > 0 ? 'replace' : 'edit', hook: best, differs };
  return { action, duplicates, strangers };
}

/** The webhooks that `--remove` takes away. */
export function ownHooks(hooks: readonly Hook[], wanted: WantedHook): Hook[] {
  return hooks.filter((hook) => isOurs(hook, wanted));
}

/** Of an installation, and not at our address: without names nobody can tell of which. */
export function namelessHooks(hooks: readonly Hook[], wanted: WantedHook): Hook[] {
  return hooks.filter((hook) => hook.name === null && hasWebhookPath(hook.url) && !isAt(hook, wanted.url));
}

/** A webhook's address without what may be secret in one that is not ours. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return '(no address)';
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

function isOurs(hook: Hook, wanted: WantedHook): boolean {
  if (isAt(hook, wanted.url) || (wanted.name !== null && hook.name === wanted.name)) return true;
  // Made by hand; one that bears our kind of name was made with another secret, somewhere else. Where the forge keeps no
  // names, any other installation's looks like that.
  return hasWebhookPath(hook.url) && hook.name !== null && !NAME.test(hook.name);
}

function closeness(hook: Hook, wanted: WantedHook): number {
  return (isAt(hook, wanted.url) ? 2 : 0) + (hook.name !== null && hook.name === wanted.name ? 1 : 0);
}

function isAt(hook: Hook, url: string | null): boolean {
  if (url === null || !URL.canParse(hook.url)) return false;
  return new URL(hook.url).href === new URL(url).href;
}

function beyondEdit(hook: Hook, wanted: WantedHook): string[] {
  const differs: string[] = [];
  if (!OUR_TYPES.includes(hook.type)) differs.push(`type was ${hook.type}`);
  if (hook.name !== null && hook.name !== wanted.name) {
    differs.push(NAME.test(hook.name) ? 'made with another secret' : 'secret not known to be ours');
  }
  return differs;
}

function editable(hook: Hook, wanted: WantedHook): string[] {
  const differs: string[] = [];
  if (!isAt(hook, wanted.url)) differs.push(`address was ${shownUrl(hook.url)}`);
  const missing = WANTED_EVENTS.filter((event) => !hook.events.includes(event));
  const extra = hook.events.filter((event) => !WANTED_EVENTS.includes(event));
  if (missing.length > 0) differs.push(`events missing: ${missing.join(', ')}`);
  if (extra.length > 0) differs.push(`events nobody wants: ${extra.join(', ')}`);
  if (!hook.active) differs.push('was not active');
  if (hook.contentType !== 'json') differs.push(`content type was ${hook.contentType}`);
  return differs;
}
