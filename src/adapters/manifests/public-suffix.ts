import { getPublicSuffix } from 'tldts';
import { edgeChild, edgeLength, edgeStart, labelText, rulesRoot } from 'tldts/dist/cjs/src/data/trie.js';

/**
 * Whether names below the host belong to different owners: it is a public suffix, private domains such as `github.io`
 * included, or stands above one, as `amazonaws.com` does above `s3.amazonaws.com`.
 * Source: the Public Suffix List, as the pinned version of tldts has it.
 */
export function isPublicSuffix(host: string): boolean {
  return getPublicSuffix(host, { allowPrivateDomains: true }) === host || hasSuffixBelow(host);
}

/** tldts answers what suffix a host has; what is below one stands only in its table, a tree of labels from the right. */
function hasSuffixBelow(host: string): boolean {
  let node: number | undefined = rulesRoot;
  for (const label of host.split('.').reverse()) {
    node = childOf(node, label);
    if (node === undefined) return false;
  }
  return (edgeStart[node + 1] ?? 0) > (edgeStart[node] ?? 0);
}

function childOf(node: number, label: string): number | undefined {
  let wildcard: number | undefined;
  for (let edge = edgeStart[node] ?? 0; edge < (edgeStart[node + 1] ?? 0); edge += 1) {
    const start = labelStart()[edge] ?? 0;
    const name = labelText.slice(start, start + (edgeLength[edge] ?? 0));
    if (name === label) return edgeChild[edge];
    if (name === '*') wildcard = edgeChild[edge];
  }
  return wildcard;
}

let starts: Uint32Array | undefined;

/** Where each edge's label begins: they stand in one text, one behind the other. */
function labelStart(): Uint32Array {
  if (starts !== undefined) return starts;
  starts = new Uint32Array(edgeLength.length);
  for (let edge = 1; edge < starts.length; edge += 1)
    starts[edge] = (starts[edge - 1] ?? 0) + (edgeLength[edge - 1] ?? 0);
  return starts;
}
