import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { withEgress } from '../../../support/egress/egress-here.js';
import { httpsUpstream, stopUpstreams } from '../../../support/egress/upstreams.js';
import { packageSite } from '../../../support/egress/package-site.js';
import { privateCa } from '../../../support/gitea/tls-front.js';

const HOST = 'packages.egress-test.example';
const run = promisify(execFile);

/** This machine's own tools, over TLS that they check themselves, through the proxy that their variables name. */
describe('clients whose TLS hello the forward proxy reads', function () {
  this.timeout(120_000);
  const egress = withEgress();
  let dir: string;
  let site: string;
  let origin: string;
  let hop: net.Server;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tls-clients-'));
    site = join(dir, 'site');
    mkdirSync(site);
  });
  after(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const ca = await privateCa(dir, [`DNS:${HOST}`]);
    const { port } = await httpsUpstream(ca, (request, response) => {
      const path = normalize((request.url ?? '').replace(/\?.*/, ''));
      readFile(join(site, 'www', decodeURIComponent(path.endsWith('/') ? `${path}index.html` : path))).then(
        (file) => {
          if (path.includes('/simple/')) response.setHeader('content-type', 'text/html');
          response.end(file);
        },
        () => response.writeHead(404).end(),
      );
    });
    origin = `https://${HOST}:${String(port)}`;
    await packageSite(site, origin);
    egress().names.set(HOST, ['127.0.0.1']);
    egress().allow(`${HOST}:${String(port)}`);
    await egress().start();
    // What socat is in the agent's container.
    hop = net.createServer({ allowHalfOpen: true }, (socket) => {
      const inner = net.connect({ path: egress().socket, allowHalfOpen: true });
      socket.on('error', () => inner.destroy());
      inner.on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((resolve) => hop.listen(0, '127.0.0.1', resolve));
    const proxy = `http://127.0.0.1:${String((hop.address() as AddressInfo).port)}`;
    const { PATH, HOME, RUSTUP_HOME, CARGO_HOME: rust = join(HOME ?? '', '.cargo') } = process.env;
    env = {
      ...{ PATH, HOME, HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: '', no_proxy: '' },
      ...{ RUSTUP_HOME: RUSTUP_HOME ?? join(rust, '..', '.rustup') },
      ...{ SSL_CERT_FILE: ca.caFile, NODE_EXTRA_CA_CERTS: ca.caFile, GIT_SSL_CAINFO: ca.caFile },
    };
  });
  afterEach(async () => {
    hop.close();
    await stopUpstreams();
  });

  async function works(script: string, expected: RegExp): Promise<void> {
    const cwd = mkdtempSync(join(dir, 'work-'));
    const { stdout } = await run('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd,
      env: { ...env, HOST_URL: origin, W: cwd },
    }).catch((error: unknown) => error as { readonly stdout: string });
    assert.match(stdout, expected);
    const lines = await egress().lines(1);
    assert.ok(
      lines.every(({ verdict }) => verdict === 'allowed'),
      JSON.stringify(lines),
    );
  }

  it('curl, with every version of TLS that it has', () =>
    works(
      `for v in '--tls-max 1.2' '--tlsv1.3' '--http1.1' ''; do curl -sS $v --cacert "$SSL_CERT_FILE" "$HOST_URL/hello"; done`,
      /^(?:hello over TLS\n){4}$/,
    ));

  it('git', () =>
    works('git clone -q "$HOST_URL/repo.git" clone && git -C clone log --format=%s', /^first$/m));

  it('npm', () =>
    works(
      `npm install --registry "$HOST_URL/npm/" --cache "$W/cache" --cafile "$SSL_CERT_FILE" --userconfig "$W/none" --no-audit --no-fund --no-update-notifier bb-demo >&2
       node -p 'require("bb-demo")'`,
      /^42$/m,
    ));

  it('pip', () =>
    works(
      `python3 -m pip --isolated --no-cache-dir --disable-pip-version-check install --quiet --target there --proxy "$HTTPS_PROXY" --cert "$SSL_CERT_FILE" --index-url "$HOST_URL/simple/" bb-demo==1.0 >&2
       PYTHONPATH=there python3 -c 'import bb_demo; print(bb_demo.answer)'`,
      /^42$/m,
    ));

  it('cargo', () =>
    works(
      `mkdir -p p/src cargo && : >p/src/lib.rs
       printf '[package]\\nname="p"\\nversion="0.1.0"\\nedition="2021"\\n[dependencies]\\nbb-demo={version="1.0.0",registry="here"}\\n' >p/Cargo.toml
       printf '[registries.here]\\nindex="sparse+%s/cargo/"\\n[http]\\ncainfo="%s"\\n' "$HOST_URL" "$SSL_CERT_FILE" >cargo/config.toml
       cd p && CARGO_HOME="$W/cargo" cargo fetch --quiet && ls "$W"/cargo/registry/src/*/`,
      /^bb-demo-1\.0\.0$/m,
    ));

  it('go', () =>
    works(
      `unset GOROOT
       printf 'module example.test/p\\n' >go.mod
       export GOPATH="$W/gopath" GOPROXY="$HOST_URL/go" GOSUMDB=off GOMODCACHE="$W/mod" GOFLAGS=-modcacherw GOTOOLCHAIN=local GOENV=off GOCACHE="$W/go"
       go get example.test/bbdemo@v1.0.0 2>&1 && ls "$W/mod/example.test"`,
      /^bbdemo@v1\.0\.0$/m,
    ));

  it('are told by TLS itself that access is denied, when they ask for another name', async () => {
    const ended = await run(
      'bash',
      [
        '-c',
        `curl -sS --cacert "$SSL_CERT_FILE" -H 'Host: x' --connect-to evil.example:443:${origin.slice(8)} https://evil.example/ 2>&1; true`,
      ],
      { env },
    );
    // Curl tells the proxy where to connect to, and the server whom it means.
    assert.match(ended.stdout, /alert access denied|access denied/i);
    const [line] = await egress().lines(1);
    assert.match(String(line?.['why']), /for "evil\.example"/);
  });
});
