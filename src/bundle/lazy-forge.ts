import type { AgentForge } from './plane/method.js';

export interface LazyForge extends AgentForge {
  /** Loads it, before anybody calls. */
  load(): void;
}

/** A forge whose adapter is loaded later: the socket stands sooner by what loading it costs. */
export function lazyForge(load: () => Promise<AgentForge>): LazyForge {
  let loading: Promise<AgentForge> | undefined;
  const forge = (): Promise<AgentForge> => (loading ??= load());
  return {
    load: () => {
      // Whoever calls hears of a failure.
      forge().catch(() => undefined);
    },
    readIssue: async (number) => (await forge()).readIssue(number),
    readPr: async (number) => (await forge()).readPr(number),
    readComments: async (number) => (await forge()).readComments(number),
    readReviews: async (number) => (await forge()).readReviews(number),
    readDiff: async (number) => (await forge()).readDiff(number),
    readChecks: async (number) => (await forge()).readChecks(number),
    postComment: async (number, body, marker) => (await forge()).postComment(number, body, marker),
    updateDescription: async (number, body) => (await forge()).updateDescription(number, body),
  };
}
