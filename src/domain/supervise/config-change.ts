/** What a proposed file changes, as it takes effect: on whatever the file holds by then. */
import { formatAllowEntry, parseAllowlist, readAllowEntry } from '../egress/allowlist.js';
import type { EgressRules, Route } from '../egress/route.js';
import { whyNotEncrypted } from '../egress/route-checks.js';
import { parseRoutes, readRoutes } from '../egress/routes.js';
import { isVendorHost, ONLY_BY_ROUTE } from '../egress/vendors.js';
import { readImageChange, type ImageChange } from './image-change.js';
import type { ProposalTool } from './proposal.js';

export type ConfigChange = ImageChange | EgressChange;

/** What a manifest says in lines of its own. */
export type EgressChange =
  /** Lines of the allowlist, normalised. */
  | { readonly kind: 'allowlist'; readonly add: readonly string[]; readonly remove: readonly string[] }
  /** Routes by their names: `set` adds one or replaces it. */
  | { readonly kind: 'routes'; readonly set: readonly Route[]; readonly remove: readonly string[] };

export type ReadChange =
  | { readonly kind: 'change'; readonly change: ConfigChange }
  /** Each says where: `line 3: …`, `routes[1].methods: …`. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** The difference between the file that a proposal starts from, which is one of ours, and the one that it wants in its place. */
export function readChange(tool: ProposalTool, current: string, proposed: string): ReadChange {
  const read = READERS[tool](current, proposed);
  if (read.kind === 'problems') return read;
  return isNothing(read.change)
    ? { kind: 'problems', problems: ['it changes nothing: the file says the same already'] }
    : read;
}

const READERS: Readonly<Record<ProposalTool, (current: string, proposed: string) => ReadChange>> = {
  'pipelock-block': (current, proposed) => allowlistChange(allowIn(current), proposed),
  'cred-proxy-block': (current, proposed) => routesChange(routesIn(current), proposed),
  'capability-block': readImageChange,
};

/** Of a file that was read before: what cannot be read in it is nothing. */
export function allowIn(file: string): readonly string[] {
  return [...new Set(parseAllowlist(file).entries.map(formatAllowEntry))];
}

/** As `allowIn`. */
export function routesIn(file: string): readonly Route[] {
  const read = parseRoutes(file);
  return read.kind === 'routes' ? read.routes : [];
}

function allowlistChange(now: readonly string[], proposed: string): ReadChange {
  const { entries, problems } = parseAllowlist(proposed);
  if (problems.length > 0)
    return {
      kind: 'problems',
      problems: problems.map(({ line, problem }) => `line ${String(line)}: ${problem}`),
    };
  const wanted = [...new Set(entries.map(formatAllowEntry))];
  const add = wanted.filter((line) => !now.includes(line));
  const ofVendors = entries.filter(({ host }) => isVendorHost(host)).map(formatAllowEntry);
  const toVendors = add.filter((line) => ofVendors.includes(line));
  if (toVendors.length > 0)
    return { kind: 'problems', problems: toVendors.map((line) => `${line} ${ONLY_BY_ROUTE}`) };
  const remove = now.filter((line) => !wanted.includes(line));
  return { kind: 'change', change: { kind: 'allowlist', add, remove } };
}

function routesChange(now: readonly Route[], proposed: string): ReadChange {
  const read = parseRoutes(proposed);
  if (read.kind === 'problems') return read;
  const known = new Map(now.map((route) => [route.name, JSON.stringify(route)]));
  const set = read.routes.filter((route) => known.get(route.name) !== JSON.stringify(route));
  const problems = set.flatMap(({ name, upstream }) => {
    const wrong = whyNotEncrypted(upstream);
    return wrong === undefined ? [] : [`route ${name}: upstream ${wrong}`];
  });
  if (problems.length > 0) return { kind: 'problems', problems };
  const names = new Set(read.routes.map(({ name }) => name));
  const remove = now.map(({ name }) => name).filter((name) => !names.has(name));
  return { kind: 'change', change: { kind: 'routes', set, remove } };
}

function isNothing(change: ConfigChange): boolean {
  if (change.kind === 'image') return change.steps.length === 0;
  return (change.kind === 'allowlist' ? change.add : change.set).length === 0 && change.remove.length === 0;
}

/** The rules with the change in effect, whatever else was changed meanwhile. Applying it twice changes nothing more. */
export function withChange({ allow, routes }: EgressRules, change: ConfigChange): EgressRules {
  if (change.kind === 'image') return { allow, routes };
  if (change.kind === 'allowlist') {
    const kept = allow.filter((line) => !change.remove.includes(line));
    return { allow: [...kept, ...change.add.filter((line) => !kept.includes(line))], routes };
  }
  const set = new Map(change.set.map((route) => [route.name, route]));
  const kept = routes
    .filter(({ name }) => !change.remove.includes(name))
    .map((route) => set.get(route.name) ?? route);
  const isKept = new Set(kept.map(({ name }) => name));
  return { allow, routes: [...kept, ...change.set.filter(({ name }) => !isKept.has(name))] };
}

/** The routes of changed rules as the sidecar reads them, or why it would refuse them all. */
export function readChangedRoutes({
  routes,
}: EgressRules): { readonly routes: readonly Route[] } | { readonly refusal: string } {
  const read = readRoutes(routes);
  if (read.kind === 'routes') return read;
  return { refusal: `the changed routes cannot be used: ${read.problems.join('; ')}` };
}

/** Why nobody may agree to the change, which begins with the file's name; `null` when somebody may. */
export function forbiddenIn(change: ConfigChange, { ownRoutes, isPublicSuffix }: ForbiddenTo): string | null {
  const wide = tooWideIn(change, isPublicSuffix);
  if (wide !== undefined) return `allowlist: anybody may have a host below ${wide}: name the hosts`;
  const own = ownRouteIn(change, ownRoutes);
  return own === undefined
    ? null
    : `routes.json: route "${own}" belongs to every bottle of this kind, and cannot be changed`;
}

interface ForbiddenTo {
  /** Names of routes that no manifest and no operator gave. */
  readonly ownRoutes: readonly string[];
  readonly isPublicSuffix: (host: string) => boolean;
}

/** The first of these routes that the change sets or removes. */
export function ownRouteIn(change: ConfigChange, own: readonly string[]): string | undefined {
  if (change.kind !== 'routes') return undefined;
  return [...change.set.map(({ name }) => name), ...change.remove].find((name) => own.includes(name));
}

/** The first line it adds below which anybody may have a host, such as `*.co.uk`: no manifest may have it either. */
function tooWideIn(change: ConfigChange, isPublicSuffix: (host: string) => boolean): string | undefined {
  if (change.kind !== 'allowlist') return undefined;
  return change.add.find((line) => {
    const entry = readAllowEntry(line);
    return 'host' in entry && entry.wildcard && isPublicSuffix(entry.host);
  });
}
