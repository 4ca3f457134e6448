import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import type { Work } from '../../../src/domain/run/under-way.js';

/** Two workers die while they are at that work. */
export async function diesTwice(home: string, work: Work): Promise<void> {
  for (let worker = 1; worker <= 2; worker += 1) {
    const underWay = await UnderWayFiles.open(home);
    await new Promise<void>((begun) => {
      void underWay.during(work, () => {
        begun();
        return new Promise<never>(() => undefined);
      });
    });
  }
}
