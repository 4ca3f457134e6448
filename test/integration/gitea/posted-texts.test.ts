import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inertText, pullRequestTitle } from '../../../src/domain/text/inert-text.js';
import { HARMLESS } from '../../corpus/texts/harmless.js';
import { HOSTILE_TEXTS, onForge } from '../../corpus/texts/index.js';
import { hostileMarkdown } from '../../corpus/texts/hostile-markdown.js';
import { textIn } from '../../support/gitea/api.js';
import { codeOf, liveIn } from '../../support/gitea/rendered.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { mapLimited } from '../../../src/domain/base/map-limited.js';

const AT_A_TIME = 8;
/** Another seed each time: `FUZZ_TEXTS=20000` looks longer. */
const GENERATED = Number(process.env['FUZZ_TEXTS'] ?? 300);

describe('what a real Gitea makes of inert texts', function () {
  this.timeout(120_000);
  let gitea: Gitea;

  before(async () => {
    gitea = await sharedGitea();
  });

  async function render(
    text: string,
    how: 'markdown' | 'markup' = 'markdown',
    mode = 'comment',
  ): Promise<string> {
    const response = await fetch(`${gitea.url}/api/v1/${how}`, {
      method: 'POST',
      headers: { authorization: `token ${gitea.alice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ Text: text, Mode: mode, Context: 'alice/demo' }),
    });
    assert.equal(response.status, 200);
    return response.text();
  }

  const corpus = (): { name: string; text: string }[] => HOSTILE_TEXTS.map((one) => onForge(one, gitea.url));

  it('sees in many texts of the corpus what is alive in them as they are', async () => {
    const live = await mapLimited(corpus(), AT_A_TIME, async ({ text }) =>
      liveIn(await render(text), gitea.url),
    );
    assert.ok(HOSTILE_TEXTS.length >= 400);
    assert.ok(live.filter((found) => found.length > 0).length >= 300);
  });

  for (const [how, mode] of [
    ['markdown', 'comment'],
    ['markdown', 'gfm'],
    ['markup', 'comment'],
  ] as const) {
    it(`finds nothing that is loaded or acted on in the corpus (${how}, ${mode})`, async () => {
      const found = await mapLimited(corpus(), AT_A_TIME, async ({ name, text }) => {
        const live = liveIn(await render(inertText(text, gitea.url), how, mode), gitea.url);
        return live.length === 0 ? [] : [`${name}: ${live.join(', ')}`];
      });
      assert.deepEqual(found.flat(), []);
    });
  }

  it('finds nothing in texts made of marks', async () => {
    const texts = fc.sample(hostileMarkdown(gitea.url), GENERATED);
    const found = await mapLimited(texts, AT_A_TIME, async (text) =>
      liveIn(await render(inertText(text, gitea.url)), gitea.url).map(
        (live) => `${live}: ${JSON.stringify(text)}`,
      ),
    );
    assert.deepEqual(found.flat(), []);
  });

  it('notes no reference and tells nobody when they are posted', async () => {
    const { mallory, alice } = gitea;
    const repo = `/repos/${await gitea.addRepository(alice, 'posted-texts')}`;
    const target = await issue('target');
    const place = await issue('place');
    const here = (text: string): string =>
      text.replaceAll('alice/demo', 'alice/posted-texts').replace(/(?<![&\d])1(?!\d)/g, String(target));
    async function issue(title: string): Promise<number> {
      return Number((await alice.api.object('POST', `${repo}/issues`, { title }))['number']);
    }
    const post = (body: string): Promise<unknown> =>
      mallory.api.call('POST', `${repo}/issues/${String(place)}/comments`, { body });
    const references = async (): Promise<number> =>
      (await alice.api.list(`${repo}/issues/${String(target)}/timeline?limit=50`)).filter(({ type }) =>
        String(type).includes('ref'),
      ).length;
    const generated = fc.sample(hostileMarkdown(gitea.url), 100);
    // The same texts with references alone: an image is no matter here.
    for (const text of [...corpus().map((one) => one.text), ...generated]) {
      const body = inertText(here(text), gitea.url);
      if (/[@#!]|issues|pulls/.test(text) && body !== '') await post(body);
      assert.equal(await references(), 0, JSON.stringify(text));
    }
    await post(`see #${String(target)}`);
    assert.equal(await references(), 1);
  });

  it('renders harmless texts as if nothing had been done to them, code word for word', async () => {
    for (const { name, text } of HARMLESS.map((one) => onForge(one, gitea.url))) {
      const before = await render(text);
      const after = await render(inertText(text, gitea.url));
      assert.equal(after.replaceAll('\u200B', '').trim(), before.trim(), name);
      assert.deepEqual(codeOf(after), codeOf(before), name);
    }
  });

  it('leaves an address of an issue a link that works', async () => {
    const { number } = await gitea.alice.api.object('POST', '/repos/alice/demo/issues', { title: 'linked' });
    const html = await render(inertText(`${gitea.url}/alice/demo/issues/${String(number)}`, gitea.url));
    const [, address = ''] = /href="([^"]+)"/.exec(html) ?? [];
    const page = await fetch(address);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /linked/);
  });

  it('makes nothing of a title', async () => {
    const { number } = await gitea.alice.api.object('POST', '/repos/alice/demo/issues', { title: 'first' });
    const title = pullRequestTitle(
      `closes #${String(number)} \`#${String(number)}\` @alice alice/demo#${String(number)}`,
      'x',
    );
    const made = await gitea.mallory.api.object('POST', '/repos/alice/demo/issues', { title });
    assert.equal(textIn(made, 'title'), title);
    const timeline = await gitea.alice.api.list(`/repos/alice/demo/issues/${String(number)}/timeline`);
    assert.deepEqual(
      timeline.filter(({ type }) => String(type).includes('ref')),
      [],
    );
  });
});
