import type { OwnedObject } from '../../../src/domain/bottle/bottle-runtime.js';

/** In an order in which they can be removed: a volume in use stays. */
export function containersFirst(objects: readonly OwnedObject[]): OwnedObject[] {
  return objects.toSorted((a, b) => a.type.localeCompare(b.type));
}
