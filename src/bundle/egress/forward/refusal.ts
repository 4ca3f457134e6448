import { isAllowed } from '../../../domain/egress/allowlist.js';
import { routeAddress } from '../../../domain/egress/agent-env.js';
import { whyNoHost } from '../../../domain/egress/host-name.js';
import { CURRENT_CONFIG_DIR } from '../../../domain/egress/ports.js';
import { formatAuthority, routeOfHost } from '../../../domain/egress/upstream.js';
import { isVendorHost, ONLY_BY_ROUTE } from '../../../domain/egress/vendors.js';
import { callToAsk } from '../../../domain/supervise/how-to-ask.js';
import type { ProposalTool } from '../../../domain/supervise/proposal.js';
import type { EgressConfig } from '../live-config.js';
import type { Target } from './target.js';

const SHOWN_CHARACTERS = 120;

/** Why a target is refused, and what the agent may ask for; `null` where nothing that it could propose would help. */
export interface Refusal {
  readonly why: string;
  readonly ask: ProposalTool | null;
}

/** What the bottle's files say of a target; decided before any name is looked up. */
export function whyRefused({ host, port }: Target, { allow, routes }: EgressConfig): Refusal | undefined {
  const wrong = whyNoHost(host);
  if (wrong !== undefined)
    return { why: `${shown(host)} ${wrong}; only names in this bottle's allowlist are reached`, ask: null };
  const route = routeOfHost(routes, host);
  if (route !== undefined) {
    const why = `${host} is reached through the route "${route.name}" only: ${routeAddress(route)}/`;
    return { why, ask: 'cred-proxy-block' };
  }
  if (isVendorHost(host)) return { why: `${host} ${ONLY_BY_ROUTE}`, ask: 'cred-proxy-block' };
  if (isAllowed(allow, host, port)) return undefined;
  return {
    why: `${formatAuthority(host, port)} is not in this bottle's allowlist`,
    ask: 'pipelock-block',
  };
}

/** In the status line: of a CONNECT that is refused, clients show nothing else (pip, `curl -i`), or only its number. */
export const REFUSED =
  `Forbidden by this bottle: what is allowed stands in ${CURRENT_CONFIG_DIR}/allowlist, ` +
  `and to ask for more ${callToAsk('pipelock-block')} (cred-proxy-block for a route)`;

/** What the agent reads: why, and how to ask. */
export function refusalText({ why, ask }: Refusal): string {
  return (
    `bot-bottle: ${why}.\n` +
    `What is allowed stands in ${CURRENT_CONFIG_DIR}/allowlist, one host a line (host, *.host, host:port; 443 without a port). ` +
    `${howToAsk(ask)} Trying again, another name or an address will not help.\n`
  );
}

function howToAsk(tool: ProposalTool | null): string {
  const done = 'say so when you signal that you are done (status "blocked") and name the host';
  if (tool === null) return `If the work cannot be done without it, ${done}: the operator decides.`;
  const when =
    tool === 'pipelock-block'
      ? 'the work cannot be done without it'
      : 'no route lets through what the work needs';
  return `If ${when}, ${callToAsk(tool)}: the operator decides. Without such a tool, ${done}.`;
}

function shown(host: string): string {
  return JSON.stringify(host.slice(0, SHOWN_CHARACTERS));
}
