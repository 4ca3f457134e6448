/** What a change does, in the words that the operator decides by. */
import { readAllowEntry } from '../egress/allowlist.js';
import type { ModelRule, Route } from '../egress/route.js';
import { takesUploads } from '../egress/upload-hosts.js';
import { upstreamOf } from '../egress/upstream.js';
import { isAtOrBelow, isVendorHost } from '../egress/vendors.js';
import { routesIn, type EgressChange } from './config-change.js';
import { imageEffect } from './image-change.js';
import type { ShownProposal } from './shown-proposal.js';

type Shown = Pick<ShownProposal, 'change' | 'currentFile' | 'modelHosts'>;

/** What the operator agrees to, in a line each: hosts that are reached, which secret goes where, what is run for its image. */
export function effectOf(shown: Shown): readonly string[] {
  const { change } = shown;
  if (change.kind === 'image') return imageEffect(change);
  return change.kind === 'allowlist' ? allowlistEffect(change) : routesEffect(change, shown);
}

function allowlistEffect({ add, remove }: Extract<EgressChange, { kind: 'allowlist' }>): readonly string[] {
  return [
    ...add.map((line) => `may connect to ${line}${uploadMark(line)}`),
    ...remove.map((line) => `may no longer connect to ${line}`),
  ];
}

function routesEffect(
  { set, remove }: Extract<EgressChange, { kind: 'routes' }>,
  { currentFile, modelHosts = [] }: Shown,
): readonly string[] {
  const metered = routesIn(currentFile).filter(({ model }) => model !== null);
  const hosts = [...modelHosts, ...metered.map((route) => upstreamOf(route).host)];
  const isToModels = (route: Route): boolean => {
    const { host } = upstreamOf(route);
    return (
      isVendorHost(host) ||
      metered.some(({ name }) => name === route.name) ||
      hosts.some((known) => isAtOrBelow(host, known))
    );
  };
  return [
    ...set.map((route) => {
      const { name, upstream, methods, paths, auth, model } = route;
      return (
        `route ${name}: ${methods.join(', ')} ${paths.join(', ')} at ${upstream}, ` +
        (auth === null
          ? 'without a secret'
          : `with the secret "${auth.secret}" in the header ${auth.header}`) +
        (model !== null ? ruleText(model) : isToModels(route) ? UNREAD : '')
      );
    }),
    ...remove.map((name) => `no route ${name} any more`),
  ];
}

function uploadMark(line: string): string {
  const entry = readAllowEntry(line);
  return 'host' in entry && takesUploads(entry.host)
    ? ', WHICH TAKES UPLOADS: an agent may send there what it knows'
    : '';
}

const UNREAD = ', WHERE CALLS OF MODELS ARE NOT READ OR METERED: no limit and no budget holds there';

function ruleText({ models, maxOutputTokens, allow }: ModelRule): string {
  const more = allow.length === 0 ? '' : `, and ${allow.join(', ')}`;
  return `, to the models ${models.join(', ')} with ${String(maxOutputTokens)} tokens of output${more}`;
}
