import { accessContract } from './forge-access.contract.js';
import { commentsContract } from './forge-comments.contract.js';
import { filesContract } from './forge-files.contract.js';
import { issuesContract } from './forge-issues.contract.js';
import { pullsContract } from './forge-pulls.contract.js';
import { reviewsContract } from './forge-reviews.contract.js';
import { ForgeFixture } from './forge-world.js';
import type { ForgeWorld } from './forge-world.js';

/** What every implementation of `Forge` does, on a real server. */
export function describeForge(name: string, prepare: () => Promise<ForgeWorld>): void {
  describe(`${name} as a forge`, () => {
    let fixture: ForgeFixture | undefined;

    before(async function () {
      this.timeout(90_000);
      fixture = new ForgeFixture(await prepare());
    });

    function use(): ForgeFixture {
      if (fixture === undefined) throw new Error('the forge is not prepared');
      return fixture;
    }

    issuesContract(use);
    commentsContract(use);
    pullsContract(use);
    reviewsContract(use);
    filesContract(use);
    accessContract(use);
  });
}
