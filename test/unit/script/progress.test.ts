import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { useScriptWorld, type Ended } from '../../support/script/script-world.js';

describe('set-up', function () {
  this.timeout(20_000);
  const world = useScriptWorld();
  const run = (script: string): Ended => world().shell(script, { BOT_BOTTLE_PROGRESS_SECONDS: '0.2' });

  it('tells that a silent command still runs, and what its log says last', () => {
    const { stdout } = run(
      String.raw`logged compile bash -c 'echo first; printf "\e[31mhalf\e[0m\rsecond\n\n"; sleep 0.7'`,
    );
    assert.match(stdout, /^( {4}… compile: 0 s, second\n){1,3}$/);
  });

  it('says nothing of a command that is soon over', () => {
    assert.equal(run('logged quick true').stdout, '');
  });

  it('keeps the progress out of an answer, and the answer out of the progress', () => {
    const { stdout } = run(`answer=$(told asking '' bash -c 'sleep 0.5; echo 42'); echo "answer=$answer"`);
    assert.match(stdout, /^( {4}… asking: 0 s\n)+answer=42\n$/);
  });

  it('ends with the status of the command, and shows the end of a log that failed', () => {
    assert.equal(run(`status=0; told what '' bash -c 'exit 3' || status=$?; exit "$status"`).status, 3);
    assert.equal(run('logged broken false').status, 1);
  });

  it('stops telling when it is killed', async () => {
    // What runs has no part in the output, so only what tells could hold that open.
    const script = world().sourced(`echo begun; told waiting '' sleep 20 >/dev/null 2>&1`);
    const child = spawn('bash', ['-c', script], {
      cwd: world().root,
      env: { ...world().env, BOT_BOTTLE_PROGRESS_SECONDS: '60' },
    });
    await once(child.stdout, 'data');
    const killedAt = Date.now();
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.ok(Date.now() - killedAt < 15_000);
  });

  describe('with --quiet', () => {
    const step = (present: string): string =>
      run(`QUIET=1; bring() { say working; touch $CACHE/made; }; step tools ${present} bring`).stdout;

    it('says nothing of a step that is done already', () => {
      assert.equal(step('true'), '');
    });

    it('tells a step that there is, with its time', () => {
      assert.match(
        run(
          `QUIET=1; made() { [[ -f $CACHE/made ]]; }; bring() { say working; touch $CACHE/made; }; step tools made bring; headline after`,
        ).stdout,
        /^==> tools\n {4}working\n==> tools … \d+\.\d s\n$/,
      );
    });
  });
});
