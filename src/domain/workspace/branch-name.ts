/** A branch name that is safe in a ref, an argument and a message: stricter than git-check-ref-format(1). */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_+.@=/-]{0,199}$/;

/** A branch that a run only builds on: also in other scripts than Latin, and with what stands before an issue's number. */
const BASE_NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_+.@=/,#-]{0,199}$/u;
/** What `isBaseName` allows, for a message. */
export const BASE_NAME_LIMIT = '200 letters, digits and _ + - . @ = / , #';

/** One that a run may publish to. */
export function isBranchName(name: string): boolean {
  return NAME.test(name) && isRefFormat(name);
}

/** One that a run may build on. */
export function isBaseName(name: string): boolean {
  return BASE_NAME.test(name) && isRefFormat(name) && !/\p{Default_Ignorable_Code_Point}/u.test(name);
}

function isRefFormat(name: string): boolean {
  return !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[./]$/.test(name);
}

/** The base that an issue's `ref` (`main`, `refs/heads/main`) or a manifest names; `undefined` when it cannot be one. */
export function branchNamed(ref: string): string | undefined {
  const name = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref;
  return isBaseName(name) && !name.startsWith('refs/') ? name : undefined;
}
