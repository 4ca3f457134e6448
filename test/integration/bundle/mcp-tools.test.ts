import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import { callTool } from '../../support/bundle/mcp-clients.js';
import { describeEachWay } from '../../support/bundle/mcp-suite.js';
import { anIssue } from '../../support/bundle/recording-forge.js';

describeEachWay('the MCP tools of the sidecar', (place) => {
  it('introduces itself, naming the issue and no forge', async () => {
    await place.bundle.start();
    const connection = await place.client();
    assert.deepEqual(connection.getServerCapabilities(), { tools: {} });
    assert.match(connection.getInstructions() ?? '', /#12/);
    assert.doesNotMatch(connection.getInstructions() ?? '', /gitea|github|forgejo/i);
  });

  it('gives a text of several lines as a block of its own, as it is', async () => {
    await place.bundle.start();
    place.bundle.forge.diff = 'diff --git a/a b/a\n+"quoted"\n';
    const { blocks } = await callTool(await place.client(), 'read_diff', { number: 4 });
    assert.equal(blocks.length, 2);
    assert.equal(blocks[1], place.bundle.forge.diff);
    assert.match(blocks[0] ?? '', /"untrusted":true/);
  });

  it('refuses a write outside the scope with a tool error that names what is allowed, and logs it', async () => {
    await place.bundle.start();
    const { isError, blocks } = await callTool(await place.client(), 'post_comment', {
      number: 9,
      body: 'x',
    });
    assert.ok(isError);
    assert.match(blocks[0] ?? '', /comment on #9 refused.*You may write to #12 and #20 only/);
    assert.deepEqual(place.bundle.forge.calls, []);
    await place.bundle.stop();
    assert.deepEqual(
      place.bundle.run.lines().map(({ text }) => text),
      ["refused comment on #9: outside the run's scope"],
    );
  });

  it('says in plain words that a conversation is locked, and passes on other refusals of the forge', async () => {
    await place.bundle.start();
    const connection = await place.client();
    const comment = { number: 12, body: 'x' };
    place.bundle.forge.postComment = () =>
      Promise.reject(new ForgeHttpError(403, 'POST', '/secret/path', 'no'));
    const forbidden = await callTool(connection, 'post_comment', comment);
    assert.match(forbidden.blocks[0] ?? '', /does not allow it \(403\).*will not help/);
    place.bundle.forge.issue = (number) => anIssue(number, { locked: true });
    const locked = await callTool(connection, 'post_comment', comment);
    assert.ok(locked.isError && forbidden.isError);
    assert.match(locked.blocks[0] ?? '', /#12 is locked.*until a person unlocks it/);
    place.bundle.forge.fault = new ForgeHttpError(0, 'GET', '/secret/path', 'no');
    const away = await callTool(connection, 'read_issue', { number: 1 });
    assert.match(away.blocks[0] ?? '', /does not answer.*may help/);
    for (const { blocks } of [forbidden, locked, away]) assert.doesNotMatch(blocks.join(), /secret/);
  });

  it('tells of a fault of its own without details, and goes on', async () => {
    await place.bundle.start();
    const connection = await place.client();
    place.bundle.forge.fault = new TypeError('/secret/path');
    const { isError, blocks } = await callTool(connection, 'read_issue', { number: 1 });
    assert.ok(isError);
    assert.match(blocks[0] ?? '', /internal error/);
    assert.doesNotMatch(blocks.join(), /secret/);
    assert.match(JSON.stringify(place.bundle.logged), /a call failed.*secret/);
    place.bundle.forge.fault = undefined;
    assert.equal((await callTool(connection, 'read_issue', { number: 1 })).isError, false);
  });
});
