/** Where an agent can look itself; an API's addresses are no files. */
const KNOWN_TO_AGENTS = String.raw`(?:workspace|run\/bottle|etc\/bot-bottle|home\/agent|repos|orgs|api)(?![^\/\s'"])`;
/** As git and Node write them: `'/a b/c'`. */
const QUOTED = new RegExp(
  String.raw`(['"\u0060])(?:file:\/\/)?\/(?!${KNOWN_TO_AGENTS})[^'"\u0060\n]*\1`,
  'gu',
);
/** At least two names, and not the path of a URL. */
const BARE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:~@%/-])(?:file:\/\/)?\/(?!${KNOWN_TO_AGENTS})[^\s'"\u0060/]+\/[^\s'"\u0060]*`,
  'gu',
);
const PLACE = '(a path on the host)';

/**
 * What a program or a fault of this machine says, fit for an agent: names of directories tell who runs this, and where.
 * Paths within a repository are relative and stay.
 */
export function withoutHostPaths(text: string): string {
  return text.replace(QUOTED, PLACE).replace(BARE, PLACE);
}
