/** What must be true when a script has been played, read from what people did and the forge shows in the end. */
import { isBusy, livingOf, reasonOf } from '../../../src/workflows/run/phase.js';
import assert from 'node:assert/strict';
import { BOT } from './fake-forge.js';
import { mayDrive, mayWrite } from './forge-play.js';
import type { Done, ForgePlay, Written } from './forge-play.js';
import type { Play } from './play-lab.js';
import type { PlayedLife, PlayedWorkflows } from './played-workflows.js';

const AGENTS = ['coder', 'tester'];
const second = (ms: number): number => Math.floor(ms / 1000) * 1000;
/** The bot has write access, and may not start itself. */
const mayStart = (act: Done): boolean => mayWrite(act.who) && act.who !== 'bot';

export function checkPlay({ people, workflows }: Play): void {
  for (const issue of people.issues) {
    const lives = workflows.lives.filter(({ id }) => id === `gitea:alice/demo#${String(issue)}`);
    checkLives(people, issue, lives);
    checkTitles(people, workflows, issue, lives);
    checkEnd(people, workflows, issue, lives);
    checkWritten(people, workflows, issue, lives);
  }
  const ids = new Set(people.issues.map((issue) => `gitea:alice/demo#${String(issue)}`));
  for (const { id } of workflows.lives) assert.ok(ids.has(id), `a run of its own for ${id}`);
}

/** No life without an act of its own by somebody who may, later than the end of the one before; no end for nothing. */
function checkLives(people: ForgePlay, issue: number, lives: readonly PlayedLife[]): void {
  const done = people.done.filter((act) => act.issue === issue);
  lives.forEach((life, index) => {
    const { trigger, slug, end } = life;
    const acts = done.filter((act) => second(act.at) === trigger.actAt && act.who === trigger.actor);
    const begun = acts.filter(
      (act) =>
        mayStart(act) &&
        (['open', 'reopen', 'reopenPr'].includes(act.act) ||
          (act.act === 'label' && act.what === trigger.agent) ||
          (act.act === 'assign' && act.what === 'bot')),
    );
    assert.ok(begun.length > 0, `${slug} began without an act of somebody who may`);
    const before = lives[index - 1];
    if (before !== undefined) {
      assert.ok(before.end !== null, `${slug} began while ${before.slug} went on`);
      const [later, earlier] = [trigger, before.trigger];
      assert.ok(
        // A life that was refused before its launch is as if it had not begun.
        before.end.why.startsWith('refused: ') ||
          later.actAt > earlier.actAt ||
          (later.actAt === earlier.actAt && later.actId > earlier.actId),
        `${slug} began by the act of ${before.slug}, or an earlier one`,
      );
      // Whole seconds: what the forge gives the same one may have been before or after.
      assert.ok(
        trigger.actAt >= second(before.end.at),
        `${slug} began by an act before ${before.slug} ended`,
      );
    }
    if (end !== null) checkReason(done, life, end.why, end.at);
  });
}

function checkReason(done: readonly Done[], life: PlayedLife, why: string, at: number): void {
  const { slug, trigger } = life;
  if (why.startsWith('refused: ')) return;
  const pr = /^PR #(\d+) /.exec(why)?.[1];
  const ended = done.some((act) => {
    if (pr !== undefined)
      return ['closePr', 'mergePr'].includes(act.act) && act.pr === Number(pr) && second(act.at) === at;
    if (why === 'issue closed') return act.act === 'close' && second(act.at) === at && at >= trigger.actAt;
    return act.act !== 'unlabel' && act.what !== trigger.agent && why === `${act.what} was asked for instead`;
  });
  assert.ok(ended, `${slug} ended for nothing: ${why}`);
}

/** The last act that completes the trigger as it stands. */
function completing(done: readonly Done[], agent: string, lastPrs: readonly number[]): Done | undefined {
  return done.findLast(
    ({ act, what, pr }) =>
      act === 'open' ||
      act === 'reopen' ||
      (act === 'label' && what === agent) ||
      (act === 'assign' && what === 'bot') ||
      (act === 'reopenPr' && lastPrs.includes(pr)),
  );
}

function authorOf(done: readonly Done[]): Done['who'] {
  return done.find(({ act }) => act === 'open')?.who ?? 'mallory';
}

/** A run's words are those that somebody who may start it had before him: within the forge's seconds. */
function checkTitles(
  people: ForgePlay,
  workflows: PlayedWorkflows,
  issue: number,
  lives: readonly PlayedLife[],
): void {
  for (const { slug, trigger } of lives) {
    const later = people.done.filter(
      ({ act, who, at, ...one }) =>
        one.issue === issue && act === 'editTitle' && !mayWrite(who) && second(at) > trigger.actAt,
    );
    const prompts = workflows.prompts.filter((prompt) => prompt.slug === slug);
    for (const { what } of later)
      assert.ok(!prompts.some(({ text }) => text.includes(what)), `${slug} was told the later ${what}`);
  }
}

function checkEnd(
  people: ForgePlay,
  workflows: PlayedWorkflows,
  issue: number,
  lives: readonly PlayedLife[],
): void {
  const found = people.forge.issues.get(issue);
  if (found === undefined) return;
  const done = people.done.filter((act) => act.issue === issue);
  const state = workflows.state(issue);
  const alive = state === undefined ? null : livingOf(state);
  const agents = found.labels.map((label) => label.replace('bot-bottle:', ''));
  const [agent = ''] = agents;
  const isTriggered = agents.length === 1 && found.assignees.some(({ login }) => login === BOT.login);
  const prs = people.prs.get(issue) ?? [];
  const openPrs = prs.filter((number) => people.forge.pulls.get(number)?.state === 'open');
  if (alive !== null && state !== undefined) {
    assert.ok(!isBusy(alive));
    assert.ok(found.state === 'open' || openPrs.length > 0, 'closed, and goes on');
    if (!isTriggered) assert.equal(reasonOf(state), 'untriggered', 'goes on without its trigger');
  }
  if (found.state !== 'open' || !isTriggered || !AGENTS.includes(agent)) return;
  const act = completing(done, agent, prs);
  if (act === undefined) return;
  const prEnd = done.findLast((one) => ['closePr', 'mergePr'].includes(one.act));
  const ambiguous = prEnd !== undefined && second(prEnd.at) === second(act.at);
  // While there were two labels the run was refused or frozen, and since one of them went nobody has asked again: the
  // spec says neither that this is asking, nor that the other label was taken away.
  const hadTwo = done.some((one) => one.act === 'unlabel' && one.what !== agent && one.order > act.order);
  // Who wrote the issue may have no say: what is not as it was when it was asked for is asked for again.
  const isEdited =
    !mayWrite(authorOf(done)) && done.some((one) => one.act === 'editTitle' && one.order > act.order);
  if (
    mayStart(act) &&
    !ambiguous &&
    !hadTwo &&
    !isEdited &&
    (prEnd === undefined || prEnd.order < act.order)
  ) {
    assert.ok(alive !== null, `#${String(issue)} asks for ${agent}, and no run lives`);
    assert.equal(alive.trigger.agent, agent);
    assert.notEqual(
      state === undefined ? null : reasonOf(state),
      'untriggered',
      'asked for, and frozen as if it were not',
    );
  }
  // Closed later than anybody asked: it stays destroyed, whatever is still on the issue.
  const isClosed = prEnd !== undefined && openPrs.length === 0 && prEnd.order > act.order && !ambiguous;
  const had = lives.findLast(
    ({ slug }) => prs.at(-1) === prEnd?.pr && people.branchOf(prEnd?.pr).endsWith(slug.slice(-5)),
  );
  if (isClosed && had !== undefined)
    assert.equal(alive, null, `#${String(prEnd.pr)} was closed, and a run goes on`);
}

function checkWritten(
  people: ForgePlay,
  workflows: PlayedWorkflows,
  issue: number,
  lives: readonly PlayedLife[],
): void {
  const state = workflows.state(issue);
  const written = people.written.filter((one) => one.issue === issue);
  for (const { slug } of lives) {
    const prompts = workflows.prompts.filter((prompt) => prompt.slug === slug);
    for (const one of written) {
      for (const { text } of one.texts) {
        const told = prompts.reduce((sum, prompt) => sum + prompt.text.split(text).length - 1, 0);
        if (!mayDrive(one.who)) assert.equal(told, 0, `words of ${one.who} reached the agent`);
        assert.ok(told <= 1, `${text} was told ${String(told)} times`);
      }
      checkDeleted(one, prompts);
    }
  }
  const last = lives.at(-1);
  const life = state === undefined ? null : livingOf(state);
  if (life === null || last?.slug !== life.slug) return;
  const prompts = workflows.prompts.filter(({ slug }) => slug === last.slug);
  const waiting = new Set([...life.mailbox.waiting, ...life.turn.taken].map(({ id }) => id));
  for (const one of written) {
    const latest = one.texts.at(-1);
    // Written before the run had begun: the prompt of a first turn is the issue alone.
    if (latest === undefined || latest.at <= last.startedAt || one.deletedAt !== null) continue;
    if (!mayDrive(one.who) || !mayDrive(latest.by)) continue;
    // On a pull request of an earlier run.
    if (one.pr !== 0 && !life.prs.some(({ number }) => number === one.pr)) continue;
    const told = prompts.some(({ text }) => text.includes(latest.text));
    assert.ok(told || waiting.has(one.id), `${latest.text} of ${one.who} was lost`);
  }
}

function checkDeleted(
  { deletedAt, texts }: Written,
  prompts: readonly { text: string; readFrom: number }[],
): void {
  if (deletedAt === null) return;
  for (const { text, readFrom } of prompts)
    if (readFrom > deletedAt)
      for (const each of texts) assert.ok(!text.includes(each.text), 'a deleted comment was told');
}
