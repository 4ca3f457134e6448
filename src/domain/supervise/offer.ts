/**
 * A host that was refused to an agent which did not ask for it [S2]: offered to the operator as a proposal of its own, so that
 * agreeing takes one key.
 */
import { namesHost, readAllowEntry } from '../egress/allowlist.js';
import type { EgressRules } from '../egress/route.js';
import type { HostRefusals } from '../egress/totals.js';
import { routeOfHost } from '../egress/upstream.js';
import { isVendorHost } from '../egress/vendors.js';
import { madeId } from './proposal.js';
import type { ShownProposal } from './shown-proposal.js';

/** Most hosts of a turn; of these a run offers the first that it has not offered before. */
const MOST_OF_A_TURN = 8;

/** What a turn's end tells the run. */
export interface Offer {
  readonly id: string;
  /** Blob of its `ShownProposal`. */
  readonly ref: string;
}

export interface Offered extends EgressRules {
  readonly isPublicSuffix: (host: string) => boolean;
}

/** The same host of the same run is the same offer, so nobody is asked twice. @param sha256 hexadecimal */
export function offerId(sha256: (text: string) => string, slug: string, host: string): string {
  return madeId(sha256, [slug, 'refused', host]);
}

/** Those that the agent has not asked for by this proposal, whatever came of it. */
export function notAskedFor(
  refusals: readonly HostRefusals[],
  { change }: ShownProposal,
): readonly HostRefusals[] {
  return change.kind === 'allowlist' ? notNamed(refusals, change.add) : refusals;
}

/**
 * The hosts that were refused oftenest. Not those that a line of the allowlist names already (it was another port), that a route
 * leads to or has to, or below which anybody may have a host.
 */
export function hostsToOffer(refusals: readonly HostRefusals[], known: Offered): readonly HostRefusals[] {
  return notNamed(refusals, known.allow)
    .filter(
      ({ host }) =>
        'host' in readAllowEntry(host) &&
        routeOfHost(known.routes, host) === undefined &&
        !isVendorHost(host) &&
        !known.isPublicSuffix(host),
    )
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_OF_A_TURN);
}

/** Those that no line of an allowlist names, on whatever port. */
function notNamed(refusals: readonly HostRefusals[], lines: readonly string[]): readonly HostRefusals[] {
  const named = lines.flatMap((line) => {
    const entry = readAllowEntry(line);
    return 'host' in entry ? [entry] : [];
  });
  return refusals.filter(({ host }) => !named.some((entry) => namesHost(entry, host)));
}
