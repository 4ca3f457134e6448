import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import Docker from 'dockerode';
import { exampleDockerfile, exampleImage } from '../support/bottles/example-image.js';
import { runProxied } from '../support/bottles/proxied-bottle.js';
import { withEgress } from '../support/egress/egress-here.js';
import { httpsUpstream, stopUpstreams } from '../support/egress/upstreams.js';
import { privateCa } from '../support/gitea/tls-front.js';
import { TestBottle } from '../integration/docker/support/test-bottle.js';

const HOST = 'packages.egress-test.example';
const EVIL = 'evil.example';
const WHEEL = 'bb_demo-1.0-py3-none-any.whl';
/** The Python bottle, with curl. */
const DOCKERFILE = `${exampleDockerfile('python')}
USER root
RUN apt-get update && \\
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends curl && \\
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/* /var/log/*
USER 1000:1000
`;
const MAKE_WHEEL = `
cd /tmp && mkdir bb_demo-1.0.dist-info && echo 'answer = 42' >bb_demo.py && cd bb_demo-1.0.dist-info
printf 'Metadata-Version: 2.1\\nName: bb-demo\\nVersion: 1.0\\n' >METADATA
printf 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' >WHEEL
printf 'bb_demo.py,,\\nbb_demo-1.0.dist-info/METADATA,,\\nbb_demo-1.0.dist-info/WHEEL,,\\nbb_demo-1.0.dist-info/RECORD,,\\n' >RECORD
cd .. && python3 -m zipfile -c /workspace/${WHEEL} bb_demo.py bb_demo-1.0.dist-info/
`;
const HOW_TO_ASK =
  /403 Forbidden by this bottle: .*\/etc\/bot-bottle\/current-config\/allowlist.* call the tool pipelock-block of the MCP server supervise/;

/** curl and pip as an agent uses them: the variables are set for it, and there is no other way out. */
describe('clients of the forward proxy, in a bottle', function () {
  this.timeout(10 * 60_000);
  const docker = new Docker();
  const egress = withEgress();
  let bottle: TestBottle;
  let at: string;
  const asked: string[] = [];

  beforeEach(async () => {
    bottle = await TestBottle.make(docker, 'bot-bottle/bundle:dev');
    const ca = await privateCa(egress().dir, [`DNS:${HOST}`]);
    await cp(ca.caFile, join(bottle.dir, 'workspace', 'ca.pem'));
    const { port } = await httpsUpstream(ca, serve);
    at = `${HOST}:${String(port)}`;
    egress().names.set(HOST, ['127.0.0.1']);
    await egress().start();
  });
  afterEach(async () => {
    await bottle.dispose();
    await stopUpstreams();
  });

  function serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
    asked.push(url);
    if (url === '/hello') response.end('hello over TLS\n');
    else if (url === '/simple/bb-demo/') {
      response.setHeader('content-type', 'text/html');
      response.end(`<!DOCTYPE html><a href="/files/${WHEEL}">${WHEEL}</a>`);
    } else if (url === `/files/${WHEEL}`)
      createReadStream(join(bottle.dir, 'workspace', WHEEL)).pipe(response);
    else response.writeHead(404).end();
  }

  async function agent(script: string): Promise<string> {
    const image = await exampleImage(docker, bottle.runtime, {
      ...{ name: 'clients', dockerfile: DOCKERFILE, slug: bottle.slug },
    });
    const made = await bottle.runtime.runOnce({
      ...bottle.oneShot(MAKE_WHEEL, { image }),
      mounts: [{ source: join(bottle.dir, 'workspace'), target: '/workspace', readOnly: false }],
    });
    assert.equal(made.exitCode, 0, made.stderr);
    const { text, exitCode } = await runProxied(docker, bottle, egress(), { image, allow: [at], script });
    assert.equal(exitCode, 0, text);
    return text;
  }

  it('curl reaches what is allowed, over TLS that it checks itself, and is told of what is not', async () => {
    const text = await agent(
      [
        `curl -sS --cacert ca.pem https://${at}/hello`,
        `curl -sS https://${at}/hello 2>&1 | sed 's/^/unknown authority: /'`,
        `curl -sS --cacert ca.pem --noproxy '*' https://${at}/hello 2>&1 | sed 's/^/direct: /'`,
        `curl -sS https://${EVIL}/ 2>&1 | sed 's/^/short: /'`,
        `curl -sSi https://${EVIL}/ 2>&1 | sed 's/^/long: /'`,
        `curl -sS http://${EVIL}/ 2>&1 | sed 's/^/plain: /'`,
      ].join('\n'),
    );
    assert.match(text, /^hello over TLS$/m);
    assert.match(text, /^unknown authority: curl: \(60\)/m);
    assert.match(text, /^direct: curl: \(6\) Could not resolve host/m);
    assert.match(text, /^short: curl: \(56\) .*403/m);
    assert.match(text, new RegExp(`^long: HTTP/1\\.1 ${HOW_TO_ASK.source}`, 'm'));
    assert.match(text, /^plain: bot-bottle: evil\.example:80 is not in this bottle's allowlist\.$/m);
    assert.match(text, /^plain: .*the operator decides\./m);
    assert.deepEqual(new Set(egress().lookups), new Set([HOST]));
  });

  it('pip installs from an index that is allowed, and says what the proxy said of one that is not', async () => {
    const pip = 'python3 -m pip --no-cache-dir --disable-pip-version-check --retries 1';
    const text = await agent(
      [
        `${pip} install --target /tmp/there --cert ca.pem --index-url https://${at}/simple/ bb-demo==1.0`,
        `PYTHONPATH=/tmp/there python3 -c 'import bb_demo; print("installed:", bb_demo.answer)'`,
        `${pip} download -d /tmp/d --index-url https://${EVIL}/simple/ bb-demo && echo downloaded`,
        'true',
      ].join('\n'),
    );
    assert.match(text, /^installed: 42$/m);
    assert.ok(asked.includes(`/files/${WHEEL}`));
    assert.match(text, new RegExp(`Tunnel connection failed: ${HOW_TO_ASK.source}`));
    assert.doesNotMatch(text, /^downloaded$/m);
    assert.deepEqual(new Set(egress().lookups), new Set([HOST]));
  });
});
