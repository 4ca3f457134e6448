import assert from 'node:assert/strict';
import { InvalidInputError } from '../../src/domain/base/errors.js';
import type { ForgeFixture } from './forge-world.js';

const notNumbers: readonly unknown[] = ['1/../2', 1.5, -1, 0, 2 ** 53, Number.NaN, null, undefined, {}, '1'];

/** Accounts, rights, and what is refused or not there. */
export function accessContract(use: () => ForgeFixture): void {
  it('knows its own account', async () => {
    const { world, forge } = use();
    const me = await forge.whoAmI();
    assert.equal(me.login, world.bot);
    assert.ok(me.id > 0);
  });

  it('reads the repository with the rights of its token', async () => {
    const { forge } = use();
    const repository = await forge.readRepository();
    assert.equal(repository.defaultBranch, 'main');
    assert.deepEqual(repository.permissions, { push: true, admin: false });
  });

  it('finds the repository by its id', async () => {
    const { forge, owner } = use();
    const { id } = await forge.readRepository();
    const place = await forge.whereIs(id);
    assert.deepEqual([place?.repoId, place?.owner], [id, owner.login]);
    assert.equal(await forge.whereIs(999_999_999), undefined);
  });

  it('tells issues and pull requests that are switched off from those that were deleted', async () => {
    const fixture = use();
    const { world, forge, owner } = fixture;
    const [issue, { number, branch }] = [await owner.createIssue({ title: 'there' }), await fixture.pr()];
    const seen = () => Promise.all([forge.canRead('issues'), forge.canRead('pulls')]);
    const notFound = { name: 'ForgeHttpError', status: 404 };
    assert.deepEqual(await seen(), [true, true]);
    try {
      await world.switchUnits({ issues: true, pulls: false });
      assert.deepEqual(await seen(), [true, false]);
      await assert.rejects(forge.readPr(number), notFound);
      await assert.rejects(forge.findOpenPrByHead(branch), notFound);
      await assert.rejects(forge.readIssue(number), notFound);
      assert.equal((await forge.readIssue(issue)).number, issue);
      await world.switchUnits({ issues: false, pulls: true });
      assert.deepEqual(await seen(), [false, true]);
      await assert.rejects(forge.readIssue(issue), notFound);
      assert.equal((await forge.readIssue(number)).isPull, true);
      assert.equal((await forge.readPr(number)).number, number);
    } finally {
      await world.switchUnits({ issues: true, pulls: true });
    }
    assert.deepEqual(await seen(), [true, true]);
  });

  it('knows members, private ones included; everybody else is none', async () => {
    const { world, forge } = use();
    assert.equal(await forge.isOrgMember(world.org, world.bot), true);
    assert.equal(await forge.isOrgMember(world.org, world.stranger.login), false);
    assert.equal(await forge.isOrgMember(world.org, 'nobody-of-that-name'), false);
    assert.equal(await forge.isOrgMember('no-such-org', world.bot), false);
  });

  it('knows who may write and who may not', async () => {
    const { world, forge, owner } = use();
    assert.equal(await forge.permissionOf(world.bot), 'write');
    assert.match(await forge.permissionOf(owner.login), /^(?:write|admin)$/);
    assert.equal(await forge.permissionOf(world.stranger.login), 'read');
    assert.match(await forge.permissionOf('nobody-of-that-name'), /^(?:none|read)$/);
  });

  it('knows that whoever has no right or no account may do nothing where the repository is hidden', async () => {
    const { world, forge } = use();
    await world.hide(true);
    try {
      for (const login of [world.stranger.login, 'Ghost', 'gitea-actions', 'nobody-of-that-name'])
        assert.equal(await forge.permissionOf(login), 'none', login);
    } finally {
      await world.hide(false);
    }
  });

  it('says 404 for what is not there', async () => {
    const { forge, owner } = use();
    const issue = await owner.createIssue({ title: 'no PR' });
    for (const read of [
      () => forge.readIssue(999_999),
      () => forge.readPr(issue),
      () => forge.readComment(999_999),
      () => forge.readDiff(999_999),
    ]) {
      await assert.rejects(read, {
        name: 'ForgeHttpError',
        status: 404,
        code: 'forge_not_found',
        retryable: false,
      });
    }
  });

  it('refuses what cannot be a number, in every operation that takes one', async () => {
    const { forge, owner } = use();
    for (const wrong of notNumbers as readonly number[]) {
      for (const operation of [
        () => forge.readIssue(wrong),
        () => forge.readPr(wrong),
        () => forge.readComments(wrong),
        () => forge.readComment(wrong),
        () => forge.readReviews(wrong),
        () => forge.readDiff(wrong),
        () => forge.readChecks(wrong),
        () => forge.postComment(wrong, 'x', 'm'),
        () => forge.updateDescription(wrong, 'x'),
        () => forge.updateTitle(wrong, 'x'),
        () => forge.isPrOpen(wrong),
        () => forge.requestReview(wrong, owner.login),
        () => forge.readTimeline(wrong),
        () => forge.readLinkedPulls(wrong),
        () => forge.whereIs(wrong),
        () => forge.react(wrong, 'eyes'),
      ]) {
        await assert.rejects(operation, InvalidInputError, `${String(wrong)} in ${operation.toString()}`);
      }
    }
  });
}
