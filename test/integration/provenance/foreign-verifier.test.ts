import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { COMMIT, ENDED, RecordedHome } from '../../support/provenance/recorded-home.js';

const SCRIPT = fileURLToPath(new URL('../../support/provenance/verify.py', import.meta.url));
const run = promisify(execFile);

describe('an export, for a library of others (securesystemslib)', () => {
  let home: RecordedHome;
  let exported: string;
  let head: string;

  before(async () => {
    home = await RecordedHome.make();
    assert.ok(process.env['SECURESYSTEMSLIB'], 'missing: script/bootstrap --only dsse-verifier');
    const desk = openProvenance(home.dir);
    // One of several keys in a file, as provenance key --all prints them.
    desk.rotateKey();
    exported = (await desk.exported(ENDED)) ?? '';
    head = (await desk.record(ENDED))?.entries.at(-1)?.hash ?? '';
    writeFileSync(
      join(home.dir, 'key.pem'),
      desk
        .keys()
        .public.map(({ pem }) => pem)
        .join(''),
    );
    await desk.close();
  });
  after(() => home.remove());

  const verified = async (envelope: string): Promise<unknown> => {
    const file = join(home.dir, 'export.json');
    writeFileSync(file, envelope);
    const env = { PATH: process.env['PATH'], PYTHONPATH: process.env['SECURESYSTEMSLIB'] };
    return JSON.parse(
      (await run('python3', ['-B', SCRIPT, file, join(home.dir, 'key.pem')], { env })).stdout,
    );
  };

  it('is signed by the key, and names the record and the commits', async () => {
    assert.deepEqual(await verified(exported), [
      'https://in-toto.io/Statement/v1',
      'application/vnd.in-toto+json',
      [
        { name: `run:${ENDED}`, digest: { sha256: head } },
        { name: `commit:${COMMIT}`, digest: { gitCommit: COMMIT } },
      ],
    ]);
  });

  it('is refused when a letter of it was changed', async () => {
    const envelope = JSON.parse(exported) as { payload: string };
    const text = Buffer.from(envelope.payload, 'base64').toString('utf8');
    const payload = Buffer.from(text.replace('alice', 'mallo')).toString('base64');
    await assert.rejects(verified(JSON.stringify({ ...envelope, payload })), /VerificationError/);
  });
});
