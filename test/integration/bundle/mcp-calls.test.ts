import assert from 'node:assert/strict';
import { callTool } from '../../support/bundle/mcp-clients.js';
import { describeEachWay } from '../../support/bundle/mcp-suite.js';
import { anIssue } from '../../support/bundle/recording-forge.js';
import { TOKEN } from '../../support/bundle/running-bundle.js';
import { overUnix, rpc } from '../../support/bundle/unix-http.js';

describeEachWay('MCP calls to the sidecar', (place) => {
  it('has the limits of JSON-RPC, counted together with it, and still takes signal_done', async () => {
    await place.bundle.start({ callsPerMinute: 4, writesPerMinute: 1 });
    const connection = await place.client();
    assert.equal(
      (await rpc(place.bundle.run.socket, 'post_comment', { number: 12, body: 'a' })).error,
      undefined,
    );
    const write = await callTool(connection, 'post_comment', { number: 12, body: 'b' });
    assert.ok(write.isError);
    assert.match(write.blocks[0] ?? '', /more than 1 writes in a minute: wait \d+ s.*Nothing was done/);
    await callTool(connection, 'read_issue', { number: 1 });
    await callTool(connection, 'read_issue', { number: 1 });
    const read = await callTool(connection, 'read_issue', { number: 1 });
    assert.match(read.blocks[0] ?? '', /more than 4 calls in a minute/);
    assert.equal(
      (await callTool(connection, 'signal_done', { status: 'failed', summary: '' })).isError,
      false,
    );
  });

  it('serves two clients at once, and each gets its own answers', async () => {
    await place.bundle.start();
    const two = await Promise.all([place.client(), place.client()]);
    const held = callTool(two[0], 'open_pr', { title: 'T', body: 'B' });
    const asked = await place.bundle.run.request(0);
    const numbers = Array.from({ length: 16 }, (_, index) => index + 1);
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const { blocks } = await callTool(two[number % 2] ?? two[0], 'read_issue', { number });
        return (JSON.parse(blocks[0] ?? '') as { number: number }).number;
      }),
    );
    assert.deepEqual(answers, numbers);
    place.bundle.run.answer(asked.id, { kind: 'refused', reason: 'later' });
    assert.ok((await held).isError);
  });

  it('refuses an oversize request and goes on', async () => {
    await place.bundle.start();
    const connection = await place.client();
    const args = { number: 12, body: 'x'.repeat(1024 * 1024) };
    const refused = await callTool(connection, 'post_comment', args).then(
      ({ isError, blocks }) => (isError ? blocks.join() : assert.fail('it was taken')),
      (error: unknown) => String(error),
    );
    assert.match(refused, /413|at most/);
    assert.equal((await callTool(connection, 'read_issue', { number: 1 })).isError, false);
    assert.equal(place.bundle.forge.calls.length, 1);
  });

  it('never shows its token', async () => {
    await place.bundle.start();
    place.bundle.forge.issue = (number) => anIssue(number, { body: `the token\nis ${TOKEN}`, title: TOKEN });
    const connection = await place.client();
    const read = await callTool(connection, 'read_issue', { number: 1 });
    assert.equal(read.blocks[1], 'the token\nis [secret]');
    const posted = await callTool(connection, 'post_comment', { number: 12, body: `it is ${TOKEN}` });
    assert.match(posted.blocks[0] ?? '', /holds a secret of the orchestrator.*Mend the text/);
    await callTool(connection, 'read_issue', { number: 1, [TOKEN]: TOKEN });
    assert.doesNotMatch(JSON.stringify([read, place.bundle.forge.calls]), new RegExp(TOKEN));
    const body = JSON.stringify({ jsonrpc: '2.0', id: TOKEN, method: `tools/${TOKEN}` });
    const { text } = await overUnix(place.bundle.run.socket, { path: '/mcp', body });
    assert.match(text, /\[secret\]/);
    assert.doesNotMatch(text, new RegExp(TOKEN));
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
