/** A whole life with a real CLI on the real stack; only the model is a stub, which plays its part of the script. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { bridgeAddress } from '../model-api/bridge-address.js';
import { ModelApi } from '../model-api/model-api.js';
import type { ModelRequest } from '../model-api/model-request.js';
import { say, type Answer, type JsonObject, type Step } from '../model-api/script.js';
import type { Life } from '../stack/life.js';
import { SecretSearch } from '../stack/secret-search.js';
import { waitUntil } from '../stack/stack.js';
import { useStack, type StackInUse } from '../stack/use-stack.js';

const execute = promisify(execFile);

/** How the model of a CLI does things. */
export interface CliHands {
  readonly provider: 'claude' | 'codex' | 'pi' | 'opencode';
  /** Its package cannot be had for every machine: then the output says so, and the life is left out. */
  readonly isOptional?: boolean;
  /** Whether it loses its home, too: once is enough for the snapshot, test/integration/agents has the session paths of each. */
  readonly losesHome?: boolean;
  readonly secret: string;
  /** The key as it arrives at the model. */
  readonly keyOf: (request: ModelRequest) => unknown;
  readonly forge: (tool: string, input: JsonObject) => Answer;
  readonly shell: (command: string) => Answer;
}

const KEY = `canary-${randomBytes(16).toString('hex')}`;
const PATIENCE_MS = 90_000;
const NOTES = 'a note about the walrus';
const COMMIT = 'git add -A && git commit -qm';

export interface RealAgents extends StackInUse {
  /** The model of each of them; there once the tests run. */
  readonly api: () => ModelApi;
}

/** One stack for all CLIs, of the suite that this is called in. */
export function useRealAgents(): RealAgents {
  let model: ModelApi | undefined;
  const api = (): ModelApi => {
    if (model === undefined) throw new Error('the model is not there yet');
    return model;
  };
  const inUse = useStack(
    async () => {
      model = await ModelApi.start({ address: await bridgeAddress() });
      const { url } = model;
      return { env: { MODEL_ANTHROPIC_URL: url, MODEL_OPENAI_URL: url } };
    },
    async ({ home }) => {
      await mkdir(join(home, 'agents'));
    },
  );
  after(() => model?.close());
  return { ...inUse, api };
}

export function describeCliLife(hands: CliHands, { stack, open, api: model }: RealAgents): void {
  const { provider, forge, shell } = hands;
  const agent = agentProvider(provider);
  const { sessionPaths, image } = agent;

  describe(`the life of an issue with the real ${provider}`, function () {
    this.timeout(300_000);
    const runtime = dockerBottleRuntime();
    const search = new SecretSearch({ key: KEY });
    const role = `You write notes with ${provider}.`;
    const file = `${provider}.md`;
    let api: ModelApi;

    before(async function () {
      if (hands.isOptional === true && (await runtime.imageId(image)) === undefined) {
        process.stdout.write(`    no image ${image}, so no life with it: script/images agent-${provider}\n`);
        this.skip();
      }
      // Whatever the CLI before has left.
      api = model();
      api.reset();
      for (const name of ['', '.hosts'])
        await rm(join(stack().home, 'secrets', hands.secret + name), { force: true });
      await writeFile(join(stack().home, 'agents', file), `---\nprovider: ${provider}\n---\n\n${role}\n`);
    });

    const trigger = (title: string, body: string): Promise<Life> =>
      open(title, body, [`bot-bottle:${provider}`]);

    /** Is told all of that, signals that the turn is over, and ends it. */
    const done = (summary: string, ...known: readonly RegExp[]): Step[] => [
      { expect: has(...known), reply: forge('signal_done', { status: 'success', summary }) },
      { expect: has(/"ok":\s*true/), reply: say('I am done.') },
    ];

    it('says which key is missing, and needs it bound to a model that is not the vendor’s', async () => {
      const life = await trigger('Too early', 'Nothing yet.');
      const reason = await life.rejected();
      assert.match(reason, new RegExp(`secret set ${hands.secret} --host ${api.authority}`));
      await life.reactedWith('confused');
      await stack().gitea.alice.closeIssue(life.issue);
      assert.deepEqual(api.requests, []);
      await stack().run(['secret', 'set', hands.secret, '--host', api.authority], KEY);
    });

    const losses = hands.losesHome === true ? 'a kill and the loss of its home' : 'a kill';
    it(`goes from issue to pull request, and on in the same session through ${losses}`, async () => {
      const life = await trigger('Write notes', `Please write ${NOTES}.`);
      api.script(
        {
          expect: has(new RegExp(role), /Write notes/),
          reply: () => forge('read_issue', { number: life.issue }),
        },
        {
          expect: has(new RegExp(`assigned.{1,4}: ?true`)),
          reply: shell(`echo "${NOTES}" > ${file} && ${COMMIT} "Add notes"`),
        },
        { reply: forge('open_pr', { title: 'Add notes', body: 'As asked.' }) },
        {
          expect: has(/published.{1,4}: ?true/),
          reply: forge('signal_done', { status: 'success', summary: 'Notes.' }),
        },
        {
          expect: has(/ok.{1,4}: ?true/),
          reply: say('All done.', { usage: { input: 1000, cacheRead: 500 } }),
        },
      );
      const first = await life.frozen(1, 'done');
      api.check();
      const { slug, sessionId } = first;
      const [pr] = first.prs;
      assert.ok(pr !== undefined && sessionId !== null && agent.isSessionId(sessionId));
      assert.equal(first.spent.tokens, 4 * 110 + 1510);
      assert.ok(first.spent.microUsd > 0);
      assert.equal(first.proposals, 0, 'the CLI asks for no host of its own accord');

      // The model gets the key, which is nowhere else.
      assert.deepEqual(new Set(api.requests.map(hands.keyOf)), new Set([KEY]));
      const container = JSON.stringify(
        await new Docker().getContainer(containerName(slug, 'agent')).inspect(),
      );
      assert.deepEqual(search.in(container), []);
      assert.deepEqual((await search.below(stack().home, ['secrets'])).found, []);

      // In the middle of a tool, when the CLI has written down that it began.
      const issue = [new RegExp(role), new RegExp(NOTES), /As asked\./];
      const sleeping = 'echo begun; sleep 120';
      api.script({ expect: has(...issue, /Comment before turn 2/), reply: shell(sleeping) });
      await life.comment('Comment before turn 2.');
      await life.running(2);
      const name = containerName(slug, 'agent');
      const isAtWork = async (): Promise<boolean> =>
        (await execute('docker', ['top', name])).stdout.includes('sleep 120');
      await waitUntil('the tool at work', isAtWork, PATIENCE_MS, 250);
      const look = ['exec', name, 'grep', '-rqsF', sleeping, ...sessionPaths];
      const isWritten = (): Promise<boolean> =>
        execute('docker', look).then(
          () => true,
          () => false,
        );
      await waitUntil('the tool call in the session', isWritten, PATIENCE_MS, 250);
      const known = [...issue, /Comment before turn 2/, /sleep 120/, /The machine stopped in the middle/];
      api.script(...done('turn 3', ...known));
      await life.killContainer(slug, 'agent');
      assert.equal((await life.frozen(3, 'done')).sessionId, sessionId);
      api.check();

      // The session comes from the snapshot.
      if (hands.losesHome === true) {
        await runtime.remove(slug, 'agent');
        await runtime.remove(slug, 'bundle');
        await runtime.removeVolumes(slug);
        api.script(...done('turn 4', ...known, /Comment before turn 4/));
        await life.comment('Comment before turn 4.');
        assert.equal((await life.frozen(4, 'done')).sessionId, sessionId);
        api.check();
      }

      await stack().gitea.alice.mergePr(pr);
      await life.ended();
    });
  });
}

/** Whether all of it is in a request. */
function has(...patterns: readonly RegExp[]): (request: ModelRequest) => void {
  return ({ text }) => {
    // As it was before it was written as JSON inside JSON.
    const plain = text.replaceAll(/\\+/g, '');
    for (const pattern of patterns) assert.match(plain, pattern);
  };
}
