/** Every operation of the forge's ports, called once; the compiler asks for one that is missing. */
import type { ForgeAdmin, Hook } from '../../../src/domain/forge/forge-admin.js';
import type { ForgeFeed } from '../../../src/domain/forge/forge-feed.js';
import type { Forge } from '../../../src/domain/forge/forge.js';

export type Calls<Port> = {
  readonly [Name in keyof Port as Port[Name] extends (...args: never) => unknown ? Name : never]: (
    port: Port,
  ) => Promise<unknown>;
};

const SHA = 'a'.repeat(40);
const PLACE = { repoId: 1, owner: 'text', repo: 'text' };
export const REPO = { kind: 'repo', owner: 'text', repo: 'text' } as const;
export const ORG = { kind: 'org', org: 'text' } as const;

export const FORGE_CALLS: Calls<Forge> = {
  readIssue: (forge) => forge.readIssue(1),
  readPr: (forge) => forge.readPr(1),
  readComments: (forge) => forge.readComments(1),
  readComment: (forge) => forge.readComment(1),
  readReviews: (forge) => forge.readReviews(1),
  readDiff: (forge) => forge.readDiff(1),
  readChecks: (forge) => forge.readChecks(1),
  readStatuses: (forge) => forge.readStatuses(SHA),
  readCheckLog: (forge) => {
    const check = { context: '', state: 'failure', description: '' } as const;
    return forge.readCheckLog({ ...check, url: '/text/text/actions/runs/1/jobs/1' }, SHA, 100);
  },
  findOpenPrByCommit: (forge) => forge.findOpenPrByCommit(SHA),
  postComment: (forge) => forge.postComment(1, 'text', 'marker'),
  updateDescription: (forge) => forge.updateDescription(1, 'text'),
  updateTitle: (forge) => forge.updateTitle(1, 'text'),
  isOrgMember: (forge) => forge.isOrgMember('text', 'text'),
  permissionOf: (forge) => forge.permissionOf('text'),
  readWriters: (forge) => forge.readWriters(),
  readOrgMembers: (forge) => forge.readOrgMembers('text'),
  findOpenPrByHead: (forge) => forge.findOpenPrByHead('text'),
  isPrOpen: (forge) => forge.isPrOpen(1),
  openPr: (forge) =>
    forge.openPr({ title: 'a', body: 'b', head: 'bot-bottle/1-a', headOwner: 'bot', base: 'main' }),
  requestReview: (forge) => forge.requestReview(1, 'text'),
  readTimeline: (forge) => forge.readTimeline(1),
  readLinkedPulls: (forge) => forge.readLinkedPulls(1),
  canRead: async (forge) => {
    await forge.canRead('issues');
    await forge.canRead('pulls');
  },
  whereIs: (forge) => forge.whereIs(1),
  readRepository: (forge) => forge.readRepository(),
  readDefaultHead: (forge) => forge.readDefaultHead(),
  readFile: (forge) => forge.readFile('docs/a.md', SHA, 100),
  react: (forge) => forge.react(1, 'eyes'),
  whoAmI: (forge) => forge.whoAmI(),
};

export const FEED_CALLS: Calls<ForgeFeed> = {
  changed: async (feed) => {
    await feed.changed({ kind: 'all' }, null, 1);
    await feed.changed({ kind: 'owner', owner: 'text' }, 0, 1);
    await feed.changed({ kind: 'repository', owner: 'text', repo: 'text' }, 0, 1);
  },
  comments: (feed) => feed.comments(PLACE, 0, 1),
  subject: (feed) => feed.subject(PLACE, 1),
  pull: (feed) => feed.pull(PLACE, 1),
  reviews: (feed) => feed.reviews(PLACE, 1, 1),
  remarks: (feed) => feed.remarks(PLACE, 1, 1),
  failedChecks: (feed) => feed.failedChecks(PLACE, SHA),
  wasPushed: (feed) => feed.wasPushed(PLACE, 1, 0),
  whoAmI: (feed) => feed.whoAmI(),
  whereIs: (feed) => feed.whereIs(1),
};

const HOOK: Hook = {
  id: 1,
  type: 'gitea',
  name: null,
  url: 'http://127.0.0.1/webhook',
  contentType: 'json',
  events: ['issues'],
  active: true,
  authorization: 'text',
  branchFilter: '*',
};

const forBoth = async (call: (target: typeof REPO | typeof ORG) => Promise<unknown>): Promise<void> => {
  await call(REPO);
  await call(ORG);
};

export const ADMIN_CALLS: Calls<ForgeAdmin> = {
  login: (admin) => admin.login(),
  listHooks: (admin) => forBoth((target) => admin.listHooks(target)),
  createHook: (admin) => {
    const spec = { name: 'text', url: HOOK.url, secret: 'text', events: ['issues'] };
    return forBoth((target) => admin.createHook(target, spec, HOOK));
  },
  editHook: (admin) => forBoth((target) => admin.editHook(target, HOOK, { name: 'text' })),
  deleteHook: (admin) => forBoth((target) => admin.deleteHook(target, 1)),
  testHook: (admin) => admin.testHook(REPO, 1),
  listLabels: (admin) => forBoth((target) => admin.listLabels(target)),
  inheritedLabels: (admin) => admin.inheritedLabels(REPO),
  createLabel: (admin) =>
    forBoth((target) => admin.createLabel(target, { name: 'text', color: '#123456', description: 'text' })),
  deleteLabel: (admin) => forBoth((target) => admin.deleteLabel(target, 1)),
  labelInUse: (admin) => forBoth((target) => admin.labelInUse(target, 'text')),
  repository: (admin) => admin.repository(REPO),
  ciFiles: (admin) => admin.ciFiles(REPO),
  repositoriesOf: (admin) => admin.repositoriesOf('text'),
};
