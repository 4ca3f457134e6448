/** A branch name that is safe in a ref, an argument and a message: stricter than git-check-ref-format(1). */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_+.@=/-]{0,199}$/;

export function isBranchName(name: string): boolean {
  return NAME.test(name) && !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[./]$/.test(name);
}

/** The branch that an issue's `ref` (`main`, `refs/heads/main`) or a manifest names; `undefined` when it cannot be one. */
export function branchNamed(ref: string): string | undefined {
  const name = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref;
  return isBranchName(name) && !name.startsWith('refs/') ? name : undefined;
}
