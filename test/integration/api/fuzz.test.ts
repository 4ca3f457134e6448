import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { readChange } from '../../../src/domain/supervise/config-change.js';
import { ServedHome } from '../../support/api/served-home.js';
import { FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';
import { freePort } from '../../support/ports/free-port.js';
import { plays } from '../../support/scale/plays.js';
import { DevServer } from '../../support/temporal/dev-server.js';

const run = promisify(execFile);
/** Of each operation and of each way through several, beside those that its schema calls for. */
const EXAMPLES = plays(3);
const PROPOSAL = 'd'.repeat(32);

describe('the HTTP API, fuzzed from its own document (schemathesis)', function () {
  this.timeout((EXAMPLES * 20 + 240) * 1_000);
  let home: RecordedHome;
  let temporal: DevServer;
  let api: ServedHome;

  before(async () => {
    assert.ok(process.env['SCHEMATHESIS'], 'missing: script/bootstrap --only schemathesis');
    home = await RecordedHome.make();
    await proposes();
    const port = await freePort();
    temporal = DevServer.start(port);
    api = await ServedHome.start(home.dir, { temporal: `127.0.0.1:${String(port)}` });
  });
  after(async () => {
    await api.stop();
    await temporal.stop();
    await home.remove();
  });

  /** One that waits, and can be read. */
  const proposes = async (): Promise<void> => {
    const [current, proposed] = ['', 'example.com\n'];
    const read = readChange('pipelock-block', current, proposed);
    assert.equal(read.kind, 'change');
    const proposal = {
      ...{ id: PROPOSAL, tool: 'pipelock-block', proposed_file: proposed, justification: 'to read <it>' },
      ...{ arrival_timestamp: '2026-01-01T00:00:00.000Z', current_file_hash: '0'.repeat(64) },
      bottle_slug: FROZEN,
    };
    const shown = { proposal, currentFile: current, change: read.change };
    const ref = await new LocalBlobStore(home.dir).put(JSON.stringify(shown));
    await home.database.proposals.add({
      ...{ slug: FROZEN, id: PROPOSAL, workflowId: 'gitea:alice/demo#7', tool: 'pipelock-block' },
      ...{ turn: 1, at: 3_500, ref, origin: 'agent' },
    });
  };

  /** What it asks is of a run and a proposal that are there. Streams have no end: their own tests read them. */
  const fuzz = async (): Promise<string> => {
    const { secret } = await api.token('operate');
    const config = join(home.dir, 'schemathesis.toml');
    const own = [
      '[parameters]',
      `"path.slug" = "${FROZEN}"`,
      `"path.id" = "${PROPOSAL}"`,
      '[checks.negative_data_rejection]',
      // 413 beside the usual ones: what is too large is not read at all.
      'expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415]',
    ];
    writeFileSync(config, own.join('\n'));
    const args = ['-B', '-m', 'schemathesis.cli', '--config-file', config, 'run', `${api.url}/openapi.json`];
    args.push('--header', `Authorization: Bearer ${secret}`, '--checks', 'all', '--no-color');
    args.push('--max-examples', String(EXAMPLES), '--exclude-path-regex', '/(events|logs)$', '--no-shrink');
    const env = { PATH: process.env['PATH'], HOME: home.dir, PYTHONPATH: process.env['SCHEMATHESIS'] };
    try {
      return (await run('python3', args, { env, cwd: home.dir, maxBuffer: 64 * 1024 * 1024 })).stdout;
    } catch (error) {
      return assert.fail(((error as { stdout?: string }).stdout ?? String(error)).slice(-20_000));
    }
  };

  it('finds no answer outside of it, no fault and no way past a token', async () => {
    const said = await fuzz();
    assert.match(said, /Tested: 12/);
  });
});
