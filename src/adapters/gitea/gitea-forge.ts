import type { Forge, ForgeFor } from '../../domain/forge/forge.js';
import * as checks from './checks.js';
import * as comments from './comments.js';
import * as files from './files.js';
import type { GiteaClient } from './gitea-client.js';
import { giteaRepo, rememberedUser } from './gitea-repo.js';
import type { GiteaRepo } from './gitea-repo.js';
import * as issues from './issues.js';
import { toRepository } from './mapping.js';
import { canRead, whereIs } from './repositories.js';
import * as members from './members.js';
import * as pulls from './pulls.js';
import * as reviews from './reviews.js';
import { readLinkedPulls, readTimeline } from './timeline.js';

/** Binds the client to repositories. Errors: `InvalidInputError` for a name no forge allows. */
export function giteaForgeFor(client: GiteaClient): ForgeFor {
  const whoAmI = rememberedUser(client);
  return (ref) => forgeOf(giteaRepo(client, ref, whoAmI));
}

/** The `Forge` port over Gitea's and Forgejo's API [S0]: one short function per operation, by theme in the files beside. */
function forgeOf(repo: GiteaRepo): Forge {
  const { client } = repo;
  const bound =
    <Args extends unknown[], Result>(operation: (repo: GiteaRepo, ...args: Args) => Result) =>
    (...args: Args): Result =>
      operation(repo, ...args);
  return {
    get aheadMs() {
      return client.aheadMs;
    },
    readIssue: bound(issues.readIssue),
    updateDescription: bound(issues.updateDescription),
    updateTitle: bound(issues.updateTitle),
    react: bound(issues.react),
    readPr: bound(pulls.readPr),
    readDiff: bound(pulls.readDiff),
    findOpenPrByCommit: bound(pulls.findOpenPrByCommit),
    findOpenPrByHead: bound(pulls.findOpenPrByHead),
    isPrOpen: async (number) => (await pulls.readPr(repo, number)).state === 'open',
    openPr: bound(pulls.openPr),
    requestReview: bound(pulls.requestReview),
    readReviews: bound(reviews.readReviews),
    readComments: bound(comments.readComments),
    readComment: bound(comments.readComment),
    postComment: bound(comments.postComment),
    readChecks: bound(checks.readChecks),
    readStatuses: bound(checks.readStatuses),
    readCheckLog: bound(checks.readCheckLog),
    isOrgMember: (org, login) => members.isOrgMember(client, org, login),
    permissionOf: bound(members.permissionOf),
    readWriters: bound(members.readWriters),
    readOrgMembers: (org) => members.readOrgMembers(client, org),
    readTimeline: bound(readTimeline),
    readLinkedPulls: bound(readLinkedPulls),
    canRead: bound(canRead),
    whereIs: (repoId) => whereIs(client, repoId),
    readRepository: async () => toRepository(await client.json({ method: 'GET', path: repo.path() })),
    readDefaultHead: bound(files.readDefaultHead),
    readFile: bound(files.readFile),
    whoAmI: () => repo.whoAmI(),
  };
}
