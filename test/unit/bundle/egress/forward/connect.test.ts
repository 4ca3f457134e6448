import assert from 'node:assert/strict';
import { globalOnly } from '../../../../../src/bundle/egress/addresses.js';
import { until } from '../../../../support/bundle/until.js';
import { connectThrough, drained, openTunnel } from '../../../../support/egress/clients.js';
import { routeTo } from '../../../../support/egress/egress-here.js';
import { HOST, withTunnels } from '../../../../support/egress/tunnels.js';
import { stopUpstreams, tcpUpstream } from '../../../../support/egress/upstreams.js';

describe('whom the forward proxy connects to', () => {
  const { egress, served } = withTunnels();

  it('refuses a host that was taken from the allowlist while it was being connected to', async () => {
    const at = await served((socket) => socket.pipe(socket));
    await egress().start({
      network: {
        resolve: async () => {
          egress().allow();
          const isRead = (): boolean => egress().logged.some(({ message }) => message.endsWith('read again'));
          await until('the shorter list', () => (isRead() ? true : undefined));
          return ['127.0.0.1'];
        },
      },
    });
    const { status } = await connectThrough(egress().socket, at);
    assert.equal(status, 403);
  });

  it('refuses at once what is not in the allowlist, with how to ask, and looks no name up', async () => {
    egress().allow(HOST);
    egress().names.set('evil.example', ['127.0.0.1']);
    await egress().start();
    for (const target of ['evil.example:443', `${HOST}:80`, `x.${HOST}:443`, `${HOST}.evil.example:443`]) {
      const { status, text } = await connectThrough(egress().socket, target);
      assert.equal(status, 403);
      assert.match(text, /is not in this bottle's allowlist/);
      assert.match(text, /\/etc\/bot-bottle\/current-config\/allowlist/);
      assert.match(text, /the operator decides/);
    }
    assert.deepEqual(egress().lookups, []);
  });

  it('refuses addresses and what is no host name, whatever the list says', async () => {
    egress().allow('*.example.org:1,443');
    await egress().start();
    const targets = [
      ...['127.0.0.1:443', '[::1]:443', '2130706433:443', '0x7f.1:443', '127.1:443', 'localhost:443'],
      ...['x.example.org.:443', 'x_.example.org:443', 'x..example.org:443', 'user@x.example.org:443'],
      ...['x.example.org', 'x.example.org:0', 'x.example.org:65536', 'x.example.org:443:443', ':443'],
      ...['http://x.example.org/', '/', '*'],
    ];
    for (const target of targets) {
      const { status } = await connectThrough(egress().socket, target);
      assert.ok(status === 403 || status === 400, `${target}: ${String(status)}`);
    }
    assert.deepEqual(egress().lookups, []);
  });

  it('takes a name in capitals for what it is', async () => {
    const at = await served((socket) => socket.end('hello'));
    await egress().start();
    const { status, socket } = await openTunnel(egress().socket, at.toUpperCase());
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'hello');
  });

  it("refuses a route's upstream, also when the allowlist has it, and names the route", async () => {
    egress().allow('*.example.org', HOST);
    egress().routes(routeTo(`https://${HOST}`));
    await egress().start();
    const { status, text } = await connectThrough(egress().socket, `${HOST}:443`);
    assert.equal(status, 403);
    assert.match(text, /through the route "files" only: http:\/\/127\.0\.0\.1:3129\/files\//);
    assert.deepEqual(egress().lookups, []);
  });

  it('refuses a name of which one address is private, and connects to none of them', async () => {
    let connections = 0;
    const at = await served(() => (connections += 1));
    egress().names.set(HOST, ['127.0.0.1', '1.1.1.1']);
    await egress().start({ network: { policy: globalOnly } });
    const { status, text } = await connectThrough(egress().socket, at);
    assert.equal(status, 403);
    assert.match(text, /127\.0\.0\.1, which is loopback/);
    assert.equal(connections, 0);
  });

  it('connects to the address it has checked: a second look-up never happens', async () => {
    const at = await served((socket) => socket.end('the first address'));
    let asked = 0;
    await egress().start({
      network: {
        // A name that is fine when it is checked, and somewhere else afterwards.
        resolve: () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']),
        policy: (address) => address === '127.0.0.1',
      },
    });
    const { status, socket } = await openTunnel(egress().socket, at);
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'the first address');
    assert.equal(asked, 1);
  });

  it('says that a host cannot be reached, with 502', async () => {
    const { port } = await tcpUpstream(() => undefined);
    await stopUpstreams();
    egress().allow(`${HOST}:${String(port)}`, 'unknown.example.org');
    egress().names.set(HOST, ['127.0.0.1']);
    await egress().start();
    const closed = await connectThrough(egress().socket, `${HOST}:${String(port)}`);
    assert.equal(closed.status, 502);
    assert.match(closed.text, /ECONNREFUSED/);
    const unknown = await connectThrough(egress().socket, 'unknown.example.org:443');
    assert.equal(unknown.status, 502);
    assert.match(unknown.text, /has no address/);
  });

  it('tries the next address when one does not answer', async () => {
    const at = await served((socket) => socket.end('hello'));
    egress().names.set(HOST, ['127.0.0.9', '127.0.0.1']);
    await egress().start({ network: { policy: () => true } });
    const { status, socket } = await openTunnel(egress().socket, at);
    assert.equal(status, 200);
    assert.equal((await drained(socket)).toString(), 'hello');
  });
});
