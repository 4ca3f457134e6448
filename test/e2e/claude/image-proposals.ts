import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelApi } from '../../support/model-api/model-api.js';
import type { ModelRequest } from '../../support/model-api/model-request.js';
import { say, use, type Answer } from '../../support/model-api/script.js';
import { SecretSearch } from '../../support/stack/secret-search.js';
import { proposed } from '../../support/stack/proposed.js';
import { aroundClaude, claudeStack, configNow, KEY } from './stack.js';

const NEW_TURN =
  /operator has approved your proposal [0-9a-f]+ \(capability-block\): your bottle runs in the new image now/;

describe('an agent that lacks a program and asks for another image', function () {
  this.timeout(300_000);
  const search = new SecretSearch({ key: KEY });
  let api: ModelApi;
  /** Runs of suites before. */
  let earlier: readonly string[];
  const { stack, open } = claudeStack();

  before(() => {
    ({ api } = aroundClaude());
    earlier = readdirSync(join(stack().home, 'state'));
  });

  const shell = (command: string): Answer => use('Bash', { command, description: 'Run' });

  function wants(steps: string): Answer {
    const { text, hash } = configNow(stack().home, earlier, 'Dockerfile');
    return use('mcp__supervise__capability-block', {
      proposed_file: `${text}${steps}`,
      justification: 'There is no walrus here.',
      current_file_hash: hash,
    });
  }

  /** The turn is ended beside its call's answer, so the agent may or may not come to ask its model once more. */
  function reply({ body }: ModelRequest): Answer {
    const messages = body['messages'] as readonly { readonly role: string }[];
    const since = messages.findLastIndex(({ role }) => role === 'assistant');
    const said = JSON.stringify(messages.slice(since + 1)).replaceAll(/\\+/g, '');
    if (/"ok": ?true/.test(said)) return say('Done.');
    if (said.includes('goo goo 1000nkept'))
      return use('mcp__bottle__signal_done', { status: 'success', summary: 'Drawn.' });
    if (NEW_TURN.test(said)) return shell('walrus && cat kept.txt');
    // Before its turn is ended for it: going on would use up the script.
    if (/"status": ?"approved"/.test(said)) return say('I wait for the new image.');
    if (/"status": ?"failed"/.test(said))
      return wants(
        "USER root\nRUN printf '#!/bin/sh\\necho goo goo $(id -u)\\n' > /usr/local/bin/walrus && chmod 755 /usr/local/bin/walrus\n",
      );
    if (said.includes('walrus: command not found'))
      return wants('USER root\nRUN apt-get install -y walrus\n');
    return shell('echo kept > kept.txt; git add kept.txt; git commit -qm kept; walrus');
  }

  const waiting = async (not = ''): Promise<string> =>
    (await proposed(stack(), 'of an image', ({ id }) => id !== not)).id;

  it('hears why the first one cannot be built, and goes on in the second, with its session and its workspace', async () => {
    api.script(...Array.from({ length: 12 }, () => ({ reply })));
    const life = await open('Draw', 'Draw a walrus.');

    const first = await waiting();
    const shown = await stack().cli(['proposals', 'show', first]);
    assert.match(shown.stdout, /its image is built anew with: RUN apt-get install -y walrus/);
    assert.match(shown.stdout, /the build has no network/);
    const failed = await stack().cli(['proposals', 'approve', first]);
    assert.notEqual(failed.code, 0);
    assert.match(failed.stderr, /the image cannot be built[^]*Unable to locate package walrus/);

    const second = await waiting(first);
    const stdout = await stack().run(['proposals', 'approve', second, '--notes', 'Go on.']);
    assert.match(stdout, /approved, in effect from the next turn on/);

    const { slug } = await life.frozen(2, 'done');
    const turns = api.turns.filter(({ text }) => NEW_TURN.test(text.replaceAll(/\\+/g, '')));
    // The same session: what was said before stands in it.
    assert.match(turns[0]?.text ?? '', /Draw a walrus/);
    assert.match(turns.at(-1)?.text ?? '', /goo goo 1000/);
    const audit = await readFile(join(stack().home, 'audit', `capability-${slug}.log`), 'utf8');
    assert.deepEqual(
      audit
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly action: string }).action),
      ['failed', 'approved'],
    );
    assert.deepEqual((await search.below(stack().home, ['secrets'])).found, []);
  });
});
