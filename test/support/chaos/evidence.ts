/** Gathers what the oracle judges, when everything has come to rest. */
import type { Client } from '@temporalio/client';
import type { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { Stack } from '../stack/stack.js';
import { StackFiles } from '../stack/stack-files.js';
import { postsOf, pullsOf } from './forge-look.js';
import { LifeFiles } from './life-files.js';
import type { CommentEvidence, LifeEvidence } from './oracle.js';
import type { LifePerson } from './person.js';
import { answerWord, askWord, countWord, hasWord, onceWord } from './words.js';

const ANSWER_MS = 10_000;

export async function evidenceOf(
  stack: Stack,
  client: Client,
  runtime: DockerBottleRuntime,
  person: LifePerson,
): Promise<LifeEvidence> {
  const { plan, subject, written, trouble } = person;
  const { life } = plan;
  const none = {
    life,
    issue: null,
    slugs: [],
    ended: false,
    pulls: [],
    comments: [],
    postedTwice: [],
    left: [],
  };
  if (subject === undefined) return { ...none, trouble };
  const files = new LifeFiles(new StackFiles(stack.home), subject);
  const slugs = await files.slugs();
  const posts = (await postsOf(stack, subject.number)).join('\n');
  const comments: CommentEvidence[] = [];
  for (const { comment } of written) {
    const told = await Promise.all(slugs.map((slug) => files.toldIn(slug, askWord(life, comment))));
    comments.push({ comment, toldIn: told.flat(), answered: hasWord(posts, answerWord(life, comment)) });
  }
  const once = [0, ...written.map(({ comment }) => comment)].map((script) => onceWord(life, script));
  return {
    life,
    issue: subject.number,
    slugs,
    ended: person.ended && (await hasReturned(client, workflowIdOf(subject))),
    pulls: await pullsOf(stack, subject.number),
    comments,
    postedTwice: once.filter((word) => countWord(posts, word) > 1),
    left: (await Promise.all(slugs.map((slug) => leftOf(files, runtime, slug)))).flat(),
    trouble,
  };
}

/** Its row says so a moment before the workflow returns. */
function hasReturned(client: Client, workflowId: string): Promise<boolean> {
  return client
    .withDeadline(Date.now() + ANSWER_MS, () => client.workflow.getHandle(workflowId).result())
    .then(
      () => true,
      () => false,
    );
}

async function leftOf(files: LifeFiles, runtime: DockerBottleRuntime, slug: string): Promise<string[]> {
  const objects = (await runtime.list(slug)).map(({ type, name }) => `${type} ${name}`);
  const pinned = (await runtime.pinnedRuns())
    .filter((one) => one === slug)
    .map(() => `an image's name for ${slug}`);
  return [...objects, ...pinned, ...files.stillThere(slug)];
}
