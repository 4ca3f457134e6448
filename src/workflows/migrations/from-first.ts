/** State of version 1 becomes that of version 2. Pure. */

interface First {
  readonly policy?: object;
  readonly carried?: { readonly policy: object; readonly life: FirstLife | null };
}

interface FirstLife {
  readonly untriggered?: boolean;
  readonly work: object;
  readonly proposals?: readonly object[];
}

/**
 * Version 1 grew while it was in use: what an older one lacks is filled in, what is there stays. The `turn` of an
 * interrupted turn's cause stays away: nobody knows it any more, and what that turn posted may be posted again, as it was then.
 */
export function fromFirst(input: First): object {
  const { carried } = input;
  return {
    ...input,
    policy: withPolicy(input.policy),
    ...(carried !== undefined && {
      carried: {
        pendingReferences: [],
        ...carried,
        policy: withPolicy(carried.policy),
        life: carried.life === null ? null : withLife(carried.life),
      },
    }),
  };
}

/** The defaults of then. The worker tells every run its settings. */
function withPolicy(policy: object | undefined): object {
  return { hostSilentMs: 120_000, superviseHoldMs: 240_000, ...policy };
}

function withLife({ untriggered, ...life }: FirstLife): object {
  return {
    epoch: 0,
    move: null,
    withheld: untriggered === true ? 'untriggered' : null,
    checkWakes: 0,
    changes: [],
    ...life,
    work: { pushed: null, ...life.work },
    // The run is between turns: no agent waits.
    proposals: (life.proposals ?? []).map((proposal) => ({ heldUntil: 0, ...proposal })),
  };
}
