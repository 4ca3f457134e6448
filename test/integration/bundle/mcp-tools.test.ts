import assert from 'node:assert/strict';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import { JSON_RPC_CODE } from '../../../src/bundle/jsonrpc/protocol.js';
import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import { callTool } from '../../support/bundle/mcp-clients.js';
import { describeEachWay } from '../../support/bundle/mcp-suite.js';
import { anIssue } from '../../support/bundle/recording-forge.js';
import { rpc } from '../../support/bundle/unix-http.js';

describeEachWay('the MCP tools of the sidecar', (place) => {
  it('introduces itself, naming the issue and no forge', async () => {
    await place.bundle.start();
    const connection = await place.client();
    assert.deepEqual(connection.getServerCapabilities(), { tools: {} });
    assert.match(connection.getInstructions() ?? '', /#12/);
    assert.doesNotMatch(connection.getInstructions() ?? '', /gitea|github|forgejo/i);
  });

  it('has exactly the methods of JSON-RPC as tools, each described and with a schema of its parameters', async () => {
    await place.bundle.start();
    const { tools } = await (await place.client()).listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      FORGE_METHODS.map(({ name }) => name),
    );
    for (const { name, description = '', inputSchema } of tools) {
      assert.ok(description.length > 100, name);
      const { properties = {}, required = [] } = inputSchema;
      assert.deepEqual(Object.keys(properties), required, name);
      assert.ok(required.length > 0, name);
      for (const property of Object.values(properties)) {
        assert.ok('description' in property && String(property.description).length > 10, name);
      }
      // Known to JSON-RPC, and with the same parameters: it complains of the first that is missing.
      const { error } = await rpc(place.bundle.run.socket, name, {});
      assert.equal(error?.code, JSON_RPC_CODE.invalidParams, name);
      assert.ok(error.message.includes(`"${required[0] ?? ''}"`), error.message);
    }
  });

  const happy: [name: string, args: Record<string, unknown>, calls: unknown[], answer: RegExp][] = [
    ['read_issue', { number: 3 }, [['readIssue', 3]], /"title":"Issue 3"/],
    ['read_pr', { number: 4 }, [['readPr', 4]], /"merged":true/],
    [
      'read_comments',
      { number: 4 },
      [
        ['readComments', 4],
        ['readReviews', 4],
      ],
      /"hello".*"changes_requested"/,
    ],
    ['read_diff', { number: 4 }, [['readDiff', 4]], /"textInBlock":2/],
    ['read_checks', { number: 4 }, [['readChecks', 4]], /"overall":"success"/],
    [
      'post_comment',
      { number: 12, body: 'hi' },
      [['postComment', 12, 'hi']],
      /"ok":true,"number":12,"id":99/,
    ],
    ['update_description', { number: 20, body: 'new' }, [['updateDescription', 20]], /"ok":true,"number":20/],
  ];
  for (const [name, args, calls, answer] of happy) {
    it(`carries ${name} out and answers with what came of it`, async () => {
      await place.bundle.start();
      const { isError, blocks } = await callTool(await place.client(), name, args);
      assert.equal(isError, false);
      assert.match(blocks[0] ?? '', answer);
      const seen = place.bundle.forge.calls.map((call, index) =>
        call.slice(0, (calls[index] as unknown[]).length),
      );
      assert.deepEqual(seen, calls);
    });
  }

  it('gives a text of several lines as a block of its own, as it is', async () => {
    await place.bundle.start();
    place.bundle.forge.diff = 'diff --git a/a b/a\n+"quoted"\n';
    const { blocks } = await callTool(await place.client(), 'read_diff', { number: 4 });
    assert.equal(blocks.length, 2);
    assert.equal(blocks[1], place.bundle.forge.diff);
    assert.match(blocks[0] ?? '', /"untrusted":true/);
  });

  it('relays signal_done once, and refuses other words for it', async () => {
    await place.bundle.start();
    const connection = await place.client();
    const done = { status: 'success', summary: 'all good\nreally' };
    assert.deepEqual(await callTool(connection, 'signal_done', done), {
      isError: false,
      blocks: ['{"ok":true}'],
    });
    const messages = place.bundle.run.messages().filter(({ body }) => body.kind === 'done');
    assert.equal(messages.length, 1);
    const again = await callTool(connection, 'signal_done', { ...done, status: 'failed' });
    assert.ok(again.isError);
    assert.match(again.blocks[0] ?? '', /already signalled as "success".*End your turn/);
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

  it('answers bad arguments with a tool error that describes the good ones', async () => {
    await place.bundle.start();
    const connection = await place.client();
    const bad: [string, Record<string, unknown>, RegExp][] = [
      ['read_issue', {}, /"number" is missing.*"integer"/],
      ['read_issue', { number: '1/../2' }, /"number" must be a whole number/],
      ['read_issue', { number: 1.5 }, /"number" must be a whole number/],
      ['read_issue', { number: 1, extra: 1 }, /unknown parameter "extra"/],
      ['post_comment', { number: 12, body: ' ' }, /"body" must not be empty/],
      ['post_comment', { number: 12, body: 'x'.repeat(60_001) }, /at most 60000.*shorten it/],
      ['signal_done', { status: 'great', summary: '' }, /must be one of: success, blocked, failed/],
    ];
    for (const [name, args, why] of bad) {
      const { isError, blocks } = await callTool(connection, name, args);
      assert.ok(isError, name);
      assert.match(blocks[0] ?? '', why);
    }
    assert.deepEqual(place.bundle.forge.calls, []);
  });

  it('answers an unknown tool with a protocol error that lists the known ones', async () => {
    await place.bundle.start();
    const connection = await place.client();
    await assert.rejects(callTool(connection, 'merge_pr', {}), (error) => {
      assert.ok(error instanceof McpError);
      assert.equal(error.code, -32602);
      assert.match(error.message, /read_issue.*signal_done/);
      return true;
    });
  });
});
