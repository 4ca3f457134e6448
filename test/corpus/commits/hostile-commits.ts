import { bundleOf, PackedObjects, type Person, type TreeEntry } from './packed-objects.js';

/** Where a hostile branch is to go. */
export interface Place {
  readonly branch: string;
  /** A commit that the forge has. */
  readonly base: string;
  /** Who the gate takes commits of. */
  readonly author: Person;
  /** A secret of the orchestrator's own. */
  readonly secret: string;
}

/** A bundle as an agent could bring it about, and what becomes of it. */
export interface HostileCommits {
  readonly name: string;
  /** `published`, or the reason that the agent is given. */
  readonly end: 'published' | RegExp;
  readonly bundle: (place: Place) => Buffer;
}

export const MIB = 1024 * 1024;

/**
 * @param build answers the branch's tip
 * @param spoil what becomes of the pack on its way
 */
export function hostile(
  name: string,
  end: HostileCommits['end'],
  build: (objects: PackedObjects, place: Place) => string,
  spoil: (pack: Buffer) => Buffer = (pack) => pack,
): HostileCommits {
  return {
    name,
    end,
    bundle: (place) => {
      const objects = new PackedObjects(place.author);
      const head = build(objects, place);
      return bundleOf(spoil(objects.pack()), head, place.branch, [place.base]);
    },
  };
}

/** A commit of one tree, upon the base. */
export function ofTree(objects: PackedObjects, { base }: Place, entries: readonly TreeEntry[]): string {
  return objects.commit({ tree: objects.tree(entries), parents: [base], message: 'work\n' });
}

export function ofFile(
  objects: PackedObjects,
  place: Place,
  content: Buffer | string,
  name = 'file',
): string {
  return ofTree(objects, place, [file(name, objects.blob(content))]);
}

export function file(name: string, id: string): TreeEntry {
  return { mode: '100644', name, id };
}

export function directory(name: string, id: string): TreeEntry {
  return { mode: '40000', name, id };
}
