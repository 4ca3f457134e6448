/** A web site of plain files in which each package manager finds one package, and git a repository. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAKE = `
git init -q -b main work
git -C work -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m first
git clone -q --bare work www/repo.git && git -C www/repo.git update-server-info
tar czf www/npm/bb-demo.tgz package
tar czf www/cargo/bb-demo.crate bb-demo-1.0.0
python3 -m zipfile -c www/files/bb_demo-1.0-py3-none-any.whl bb_demo.py bb_demo-1.0.dist-info
python3 - www/go/example.test/bbdemo/@v/v1.0.0.zip example.test/bbdemo@v1.0.0/* <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as archive:  # Go takes no directories, which python3 -m zipfile puts in.
    for path in sys.argv[2:]: archive.write(path)
END
`;

/** @param dir empty; the site is in its `www` @param origin without a slash at the end */
export async function packageSite(dir: string, origin: string): Promise<void> {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const goMod = 'module example.test/bbdemo\n';
  write('www/hello', 'hello over TLS\n');
  write('package/package.json', '{"name": "bb-demo", "version": "1.0.0", "main": "index.js"}');
  write('package/index.js', 'module.exports = 42;\n');
  write('bb-demo-1.0.0/Cargo.toml', '[package]\nname = "bb-demo"\nversion = "1.0.0"\nedition = "2021"\n');
  write('bb-demo-1.0.0/src/lib.rs', '');
  write('bb_demo.py', 'answer = 42\n');
  write('bb_demo-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: bb-demo\nVersion: 1.0\n');
  write(
    'bb_demo-1.0.dist-info/WHEEL',
    'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  );
  write(
    'bb_demo-1.0.dist-info/RECORD',
    ['bb_demo.py', ...['METADATA', 'WHEEL', 'RECORD'].map((name) => `bb_demo-1.0.dist-info/${name}`)]
      .map((name) => `${name},,\n`)
      .join(''),
  );
  write('example.test/bbdemo@v1.0.0/go.mod', goMod);
  write('example.test/bbdemo@v1.0.0/b.go', 'package bbdemo\n');
  write('www/go/example.test/bbdemo/@v/list', 'v1.0.0\n');
  write('www/go/example.test/bbdemo/@v/v1.0.0.info', '{"Version": "v1.0.0"}');
  write('www/go/example.test/bbdemo/@v/v1.0.0.mod', goMod);
  write('www/files/index.html', '');
  write('www/npm/index.html', '');
  write(
    'www/simple/bb-demo/index.html',
    '<!DOCTYPE html><a href="/files/bb_demo-1.0-py3-none-any.whl">bb_demo-1.0-py3-none-any.whl</a>',
  );
  write('www/cargo/config.json', JSON.stringify({ dl: `${origin}/cargo/{crate}.crate` }));
  await run('bash', ['-ec', `rm -rf work www/repo.git; ${MAKE}`], { cwd: dir });
  const hash = (path: string, kind: string): Buffer =>
    createHash(kind)
      .update(readFileSync(join(dir, path)))
      .digest();
  const integrity = `sha512-${hash('www/npm/bb-demo.tgz', 'sha512').toString('base64')}`;
  const version = {
    name: 'bb-demo',
    version: '1.0.0',
    dist: { tarball: `${origin}/npm/bb-demo.tgz`, integrity },
  };
  write(
    'www/npm/bb-demo',
    JSON.stringify({ name: 'bb-demo', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
  );
  const cksum = hash('www/cargo/bb-demo.crate', 'sha256').toString('hex');
  write(
    'www/cargo/bb/-d/bb-demo',
    `${JSON.stringify({ name: 'bb-demo', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false })}\n`,
  );
}
