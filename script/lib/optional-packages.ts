/** The optional packages of a lock file, which are native programs for one system each. */

/** What npm writes of a package, as far as it counts here. */
export interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** By their paths: `node_modules/a/node_modules/b`, and the empty one for the project itself. */
export type LockPackages = Readonly<Record<string, LockEntry>>;

export interface MissingPackage {
  /** Where the lock file would have it. */
  readonly path: string;
  readonly name: string;
  /** As the one that wants it says: a version, or a range. */
  readonly wanted: string;
  /** Path of the package that wants it. */
  readonly by: string;
}

export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** For Linux, where the name tells it. */
  readonly libc?: string;
}

const SYSTEMS = '(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)';
const PROCESSORS = '(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)';
const ABIS = '(?:-(gnu|musl|msvc|eabi|gnueabihf|musleabihf))?';
const PLATFORM = new RegExp(`(?:^|[-/])${SYSTEMS}-${PROCESSORS}${ABIS}$`);
const LIBCS: Readonly<Record<string, string>> = { gnu: 'glibc', musl: 'musl' };

/** What is wanted somewhere, and has no entry that Node would find from there. */
export function missingPackages(packages: LockPackages): MissingPackage[] {
  return Object.entries(packages).flatMap(([by, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, wanted]) => {
      const places = placesFor(name, by);
      const found = places.find((place) => packages[place] !== undefined);
      if (found !== undefined && satisfies(packages[found]?.version, wanted)) return [];
      // Beside the one that wants it, unless something stands there that is another version.
      const path = found === undefined ? places.at(-1) : places[0];
      return path === undefined ? [] : [{ path, name, wanted, by }];
    }),
  );
}

/** As publishers name their packages: `@swc/core-linux-x64-gnu`. `undefined` for any other name. */
export function platformOf(name: string): Platform | undefined {
  const [, os, cpu, abi = ''] = PLATFORM.exec(name) ?? [];
  if (os === undefined || cpu === undefined) return undefined;
  const libc = LIBCS[abi];
  return { os, cpu, ...(libc === undefined ? {} : { libc }) };
}

/**
 * The entry of a package that the registry in use does not have, so it has no checksum. Errors: `Error` when its name
 * does not say what it is for, or its version is a range.
 */
export function entryOf({ name, wanted, by }: MissingPackage, packages: LockPackages): LockEntry {
  const platform = platformOf(name);
  if (platform === undefined || !isVersion(wanted))
    throw new Error(
      `${by} wants ${name}@${wanted}, which the registry does not have; its name and version do not say enough for an entry, so write it into the lock file by hand`,
    );
  const { os, cpu, libc } = platform;
  return {
    version: wanted,
    cpu: [cpu],
    ...(packages[by]?.dev === true ? { dev: true } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    optional: true,
    os: [os],
  };
}

/** From the nearest to the top. */
function placesFor(name: string, by: string): string[] {
  const parents = by === '' ? [] : by.split(/\/?node_modules\//).slice(1);
  return [...parents, '']
    .map((_, depth) => parents.slice(0, parents.length - depth))
    .map((above) => [...above, name].map((parent) => `node_modules/${parent}`).join('/'));
}

/** A range is left to npm. */
function satisfies(version: string | undefined, wanted: string): boolean {
  return !isVersion(wanted) || version === wanted;
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(?:[-+].*)?$/.test(text);
}
