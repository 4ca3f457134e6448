import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput, SettleTurnInput } from '../../../src/activities/ports/inputs.js';
import { restoreSession } from '../../../src/activities/transcript/restore-session.js';
import { snapshotSession } from '../../../src/activities/transcript/snapshot-session.js';
import type { LogLine } from '../../../src/domain/bottle/bottle-runtime.js';
import { HOSTILE_SESSIONS } from '../../corpus/sessions/index.js';
import type { SessionCase } from '../../corpus/sessions/session-case.js';
import { Heart, HEARTBEAT_LIMIT_MS } from '../../support/heart/heart.js';
import { PREPARED } from '../../support/machine/world.js';
import { MIB, TestBottle } from './support/test-bottle.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const BUNDLE_IMAGE = 'bot-bottle/bundle:dev';
const ANSWER_MS = 10_000;
const UNREADABLE = 'the session cannot be read; the last whole snapshot is kept';
const TOO_LARGE = 'the session is larger than TRANSCRIPT_MAX; the last whole snapshot is kept';
const NOT_WHOLE = 'the session could not be restored whole';
const HOME = '/home/agent';

describe('docker: hostile sessions', function () {
  this.timeout(60_000);
  const docker = new Docker();
  /** All sessions are in one home, each in a place of its own. */
  let bottle: TestBottle;
  /** Where they come back: a container that has never run. */
  let fresh: TestBottle;
  let neighbour: TestBottle;
  /** Another run's container is asked for, through the same engine and on the same event loop. */
  let heart: Heart | undefined;
  let warnings: string[];

  const sessionOf = (hostile: SessionCase): string =>
    `${HOME}/.s${String(HOSTILE_SESSIONS.indexOf(hostile))}`;

  before(async () => {
    bottle = await TestBottle.make(docker, BUNDLE_IMAGE);
    fresh = await TestBottle.make(docker, BUNDLE_IMAGE);
    neighbour = await TestBottle.make(docker, BUNDLE_IMAGE);
    await fresh.createBoth();
    await neighbour.createBoth();
    const scripts = HOSTILE_SESSIONS.map(
      (hostile) => `(cd; S=${sessionOf(hostile)}; ${hostile.script}) || echo "${hostile.name}"`,
    );
    await bottle.shell(scripts.join('\n'));
    await bottle.createBoth();
    const { lines } = await bottle.runTurn();
    assert.deepEqual(printed(lines), []);
    heart = new Heart(async () => {
      assert.ok((await neighbour.runtime.list(neighbour.slug)).length > 0);
    });
  });
  after(async () => {
    await heart?.stop().catch(() => undefined);
    for (const one of [neighbour, fresh, bottle]) await one.dispose();
  });

  /** Of the files of one case alone. */
  async function portsFor(hostile: SessionCase, runtime: HostPorts['runtime']): Promise<HostPorts> {
    const home = join(bottle.dir, `home${String(HOSTILE_SESSIONS.indexOf(hostile))}`);
    await mkdir(home, { recursive: true });
    const files = runFilesIn(home);
    await files.prepare(bottle.slug);
    await files.prepare(fresh.slug);
    const session = sessionOf(hostile);
    const sessionPaths = hostile.paths?.map((path) => `${session}/${path}`) ?? [session];
    return {
      files,
      runtime,
      settings: { maxTranscriptBytes: 4 * MIB },
      provider: () => ({ name: 'scripted', version: null, sessionPaths }),
      log: { warn: (_: unknown, text: string) => warnings.push(text) },
    } as unknown as HostPorts;
  }

  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    assert.ok(heart !== undefined);
    const result = await heart.during(work);
    const ms = performance.now() - began;
    assert.ok(ms < ANSWER_MS + HEARTBEAT_LIMIT_MS, `${String(ms)} ms`);
    return result;
  };

  for (const hostile of HOSTILE_SESSIONS) {
    it(`${hostile.name}: ${hostile.end}, and other runs go on`, async () => {
      warnings = [];
      const ports = await portsFor(hostile, bottle.runtime);
      const { files } = ports;
      const input = { slug: bottle.slug, turn: 1, prepared: PREPARED } as SettleTurnInput;
      const hash = await inTime(() => snapshotSession(ports, input));
      const said = { unreadable: [UNREADABLE], 'too large': [TOO_LARGE], kept: [], 'no session': [] };
      assert.deepEqual([hash !== null, warnings], [hostile.end === 'kept', said[hostile.end]]);
      if (hash === null) return;

      const snapshot = await files.readFile(bottle.slug, 'transcript/turn-1.tar');
      await files.saveFile(fresh.slug, 'transcript/turn-1.tar', snapshot ?? '');
      const back = { slug: fresh.slug, turn: 2, prepared: PREPARED } as RunTurnInput;
      await inTime(() => restoreSession(ports, back));
      assert.deepEqual(warnings, hostile.isCut === true ? [NOT_WHOLE] : []);
    });
  }

  it('afterwards what came back has reached nothing else, and the runs end', async () => {
    assert.ok(heart !== undefined);
    await heart.stop();
    assert.ok(heart.longestGapMs < HEARTBEAT_LIMIT_MS, `${String(heart.longestGapMs)} ms`);
    await fresh.shell('ls -A /workspace; cd; ls -A | grep -vE "^[.](s[0-9]+$|bash|profile$)"; echo alive');
    const { lines } = await fresh.runTurn();
    assert.deepEqual(printed(lines), ['.git', 'alive']);
    for (const { runtime, slug } of [bottle, fresh]) {
      await runtime.remove(slug, 'agent');
      await runtime.remove(slug, 'bundle');
      await runtime.removeVolumes(slug);
      assert.deepEqual(await runtime.list(slug), []);
    }
  });
});

function printed(lines: readonly LogLine[]): string[] {
  return lines.map(({ text }) => text).filter((text) => text !== 'bottle: agent starting');
}
