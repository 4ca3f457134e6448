import assert from 'node:assert/strict';
import { METADATA_FILE, parseRunMetadata } from '../../../../src/domain/run/run-metadata.js';

const WHOLE = {
  workflowId: 'gitea:alice/demo#12',
  repoId: 7,
  subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
  branch: 'bot-bottle/12-abc12',
};
const parse = (value: unknown) => parseRunMetadata(JSON.stringify(value));

describe('a run’s metadata', () => {
  it('say whose it is, and how often it was moved where they know', () => {
    assert.deepEqual(parse(WHOLE), WHOLE);
    assert.deepEqual(parse({ ...WHOLE, epoch: 2 }), { ...WHOLE, epoch: 2 });
    assert.deepEqual(parse({ ...WHOLE, epoch: '2', more: 1 }), WHOLE, 'and nothing else');
    assert.deepEqual(parse({ ...WHOLE, repoId: null }), { ...WHOLE, repoId: null });
    const local = { ...WHOLE, subject: { ...WHOLE.subject, forge: 'local' } };
    assert.deepEqual(parse(local), local);
    assert.equal(METADATA_FILE, 'metadata.json', 'as older runs have it');
  });

  for (const [what, change] of [
    ['a workflow', { workflowId: 1 }],
    ['a branch', { branch: null }],
    ['a repository’s id', { repoId: '7' }],
    ['a subject', { subject: 'alice/demo#12' }],
    ['a subject that is something', { subject: null }],
    ['a forge that we know', { subject: { ...WHOLE.subject, forge: 'elsewhere' } }],
    ['an owner', { subject: { ...WHOLE.subject, owner: '../x' } }],
    ['a repository', { subject: { ...WHOLE.subject, repo: 'a/b' } }],
    ['a number', { subject: { ...WHOLE.subject, number: 0.5 } }],
  ] as const)
    it(`are none without ${what}`, () => {
      assert.equal(parse({ ...WHOLE, ...change }), undefined);
    });

  it('are none in what is no object', () => {
    for (const text of ['', '{', 'null', '"text"', '7', '[]'])
      assert.equal(parseRunMetadata(text), undefined, text);
  });
});
