import assert from 'node:assert/strict';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Person } from '../../support/gitea/person.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { forgeStack, HOUSE } from './stack.js';

describe('an agent that a repository brings', function () {
  this.timeout(180_000);
  const { stack, lifeOf } = forgeStack();
  const inHouse = (person: Person): Person => person.on(HOUSE);

  async function labelled(agent: string): Promise<Life> {
    const { alice, bot } = stack().gitea;
    const body = bottleScript('done success x');
    const labels = [`bot-bottle:${agent}`];
    const number = await inHouse(alice).createIssue({ title: agent, body, labels, assignees: [bot.login] });
    return lifeOf(number, HOUSE);
  }

  it('plays its role, from the commit that its turn’s row names, and is woken by whom its bottle lets', async () => {
    const { alice, mallory } = stack().gitea;
    const commit = await inHouse(alice).createFile({
      branch: 'main',
      path: '.bot-bottle/agents/own.md',
      content:
        '---\nprovider: scripted\nbottle: open\nlimits: { turn_timeout: 5m }\n---\nYou are of this house.\n',
    });
    const run = await labelled('own');
    const { slug } = await run.frozen(1, 'done');
    assert.match(await run.files.prompt(slug, 1), /You are of this house\./);
    const [turn] = await run.files.turnRows(slug);
    assert.deepEqual(turn?.detail['repositoryAgent'], { path: '.bot-bottle/agents/own.md', commit });
    await inHouse(mallory).comment(run.issue, 'A stranger asks.');
    await run.frozen(2, 'done');
    assert.match(await run.files.prompt(slug, 2), /> A stranger asks\./);
    await run.close();
  });

  it('starts nothing when its manifest says what only the operator may, and the reason names commit and line', async () => {
    const { alice } = stack().gitea;
    await inHouse(alice).createFile({
      branch: 'main',
      path: '.bot-bottle/agents/greedy.md',
      content: '---\nprovider: scripted\nbottle: default\ngit: { user: { name: Alice } }\n---\n',
    });
    const heard = stack().output.length;
    await labelled('greedy');
    const reason = /greedy\.md:3: [^\n]*must be one of FORGE_REPO_BOTTLES: open/;
    await waitUntil('the refusal', () => reason.test(stack().output.slice(heard)));
  });
});
