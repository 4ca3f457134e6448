import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, ROOT)), 'utf8');
const MARK = '-----';

describe('the coding CLIs in their images', function () {
  this.timeout(60_000);
  const runtime = dockerBottleRuntime();

  for (const [cli, pin] of [
    ['claude', pinned('CLAUDE_VERSION')],
    ['codex', pinned('CODEX_VERSION')],
    ['opencode', pinned('OPENCODE_VERSION')],
    ['pi', lockedPi()],
  ] as const)
    it(`${cli} says its version, without network and on a read-only system, with ripgrep beside it, and the way to the sidecar`, async function () {
      const isOptional = cli === 'pi' || cli === 'opencode';
      if (isOptional && (await runtime.imageId(imageOf(cli))) === undefined) this.skip();
      const [version = '', ripgrep = '', mcp] = await outputs(cli, [
        `/usr/local/bin/${cli} --version`,
        '/usr/local/bin/rg --version',
        "/usr/bin/stat -c '%u %a' /opt/bottle/mcp-stdio.mjs",
      ]);
      assert.match(version, versionAlone(pin));
      assert.match(ripgrep, /^ripgrep \d/);
      assert.equal(mcp, '0 644\n');
    });

  /** What each of them prints; all must end well. */
  async function outputs(cli: string, commands: readonly string[]): Promise<string[]> {
    const { exitCode, stdout, stderr } = await runtime.runOnce({
      name: 'version',
      slug: `cli-version-${randomBytes(4).toString('hex')}`,
      image: imageOf(cli),
      argv: ['/bin/bash', '-ec', commands.join(`\necho ${MARK}\n`)],
      user: 'agent',
      mounts: [],
      env: {},
      timeoutMs: 30_000,
      maxOutputBytes: 64 * 1024,
    });
    assert.equal(exitCode, 0, stderr);
    return Buffer.from(stdout).toString().split(`${MARK}\n`);
  }
});

function imageOf(cli: string): string {
  return `bot-bottle/agent-${cli}:dev`;
}

function pinned(name: string): string {
  const version = new RegExp(`^${name}=(.+)$`, 'm').exec(read('script/lib/versions.sh'))?.[1];
  assert.ok(version !== undefined, `no ${name} in versions.sh`);
  return version;
}

function lockedPi(): string {
  const lock = JSON.parse(read('images/agent/pi/package-lock.json')) as {
    packages: Record<string, { version: string }>;
  };
  return lock.packages['node_modules/@earendil-works/pi-coding-agent']?.version ?? assert.fail('no pi');
}

function versionAlone(version: string): RegExp {
  return new RegExp(`(?:^|\\s)${version.replaceAll('.', '\\.')}(?:\\s|$)`);
}
