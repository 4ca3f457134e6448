// What the tests run in the bundle's place: it answers on its socket and says what it may do.
import { readFileSync, writeFileSync, chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

const attempt = (work) => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return error.code;
  }
};
const status = Object.fromEntries(
  readFileSync('/proc/self/status', 'utf8')
    .split('\n')
    .map((line) => line.split(/:\s+/)),
);
const report = {
  uid: process.getuid(),
  gid: process.getgid(),
  capEff: status.CapEff,
  noNewPrivs: status.NoNewPrivs,
  seccomp: status.Seccomp,
  interfaces: Object.keys(networkInterfaces()),
  token: readFileSync('/run/bottle/forge-token', 'utf8').length,
  ca: attempt(() => readFileSync('/run/bottle/ca.pem')),
  writeToken: attempt(() => writeFileSync('/run/bottle/forge-token', 'x')),
  writeIn: attempt(() => writeFileSync('/run/bottle/in/x', 'x')),
  writeLoopback: attempt(() => writeFileSync('/run/bottle/loopback/x', 'x')),
  writeOut: attempt(() => writeFileSync('/run/bottle/out/x', 'x')),
  writeRoot: attempt(() => writeFileSync('/opt/bottle/x', 'x')),
  writeTmp: attempt(() => writeFileSync('/tmp/x', 'x')),
};

const path = '/run/bottle/sock/forge.sock';
rmSync(path, { force: true });
const server = createServer((connection) => connection.end('pong from the bundle'));
server.listen(path, () => {
  chmodSync(path, 0o666);
  console.log(JSON.stringify(report));
});
process.on('SIGTERM', () => process.exit(0));
