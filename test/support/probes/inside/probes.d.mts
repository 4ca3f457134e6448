/** One attack; it runs inside a bottle. */
interface Probe {
  readonly name: string;
  readonly tries: string;
  /** It also runs in a container that is not hardened, and has to find its way through there. */
  readonly control?: boolean;
}

export const GROUPS: Readonly<Record<string, readonly Probe[]>>;
