// An upstream of the tests, in a container: files, a git repository and a small npm registry on port 8080. It gives what
// it was asked with, so that a test sees what reached it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

const root = '/tmp/www';
const origin = process.env.ORIGIN;
const run = (cwd, ...argv) => execFileSync(argv[0], argv.slice(1), { cwd, encoding: 'utf8' });
mkdirSync(join(root, 'package'), { recursive: true });
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
run(root, 'git', 'init', '-q', '-b', 'main', 'work');
run(join(root, 'work'), 'git', ...identity, 'commit', '-q', '--allow-empty', '-m', 'first');
run(root, 'git', 'clone', '-q', '--bare', 'work', 'repo.git');
run(join(root, 'repo.git'), 'git', 'update-server-info');
writeFileSync(
  join(root, 'package/package.json'),
  JSON.stringify({ name: '@scope/pkg', version: '1.2.3', main: 'index.js' }),
);
writeFileSync(join(root, 'package/index.js'), 'module.exports = 42;\n');
run(root, 'tar', 'czf', 'pkg.tgz', 'package');
const tarball = readFileSync(join(root, 'pkg.tgz'));
const packument = {
  name: '@scope/pkg',
  'dist-tags': { latest: '1.2.3' },
  versions: {
    '1.2.3': {
      name: '@scope/pkg',
      version: '1.2.3',
      dist: {
        tarball: `${origin}/npm/@scope/pkg/-/pkg-1.2.3.tgz`,
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
      },
    },
  },
};

createServer((request, response) => {
  const url = decodeURIComponent(request.url.split('?')[0]);
  if (url === '/echo') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ headers: request.headers }));
  } else if (url === '/npm/@scope/pkg') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(packument));
  } else if (url === '/npm/@scope/pkg/-/pkg-1.2.3.tgz') response.end(tarball);
  else {
    const file = join(root, normalize(url));
    if (existsSync(file) && statSync(file).isFile()) response.end(readFileSync(file));
    else response.writeHead(404).end('not found');
  }
}).listen(8080, () => console.log('listening'));
