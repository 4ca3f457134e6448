import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { CLAUDE_CASES } from '../../../support/agents/claude-cases.js';
import { recorded, recordedVersion } from '../../../support/agents/recorded.js';
import { ROOT } from '../../docs/tree.js';

/** Most cases are read from recordings only: those of another version would say nothing of the CLI in the image. */
describe('the recorded output', () => {
  for (const [name, pin] of [
    ['claude', 'CLAUDE_VERSION'],
    ['codex', 'CODEX_VERSION'],
  ] as const)
    it(`of ${name} is that of the version in its image, which its provider names`, () => {
      const versions = readFileSync(path.join(ROOT, 'script/lib/versions.sh'), 'utf8');
      const [, pinned] = new RegExp(`^${pin}=(.+)$`, 'm').exec(versions) ?? [];
      const again = `record it again: npx tsx script/record-agents.ts ${name}`;
      assert.equal(recordedVersion(name), pinned, again);
      assert.equal(agentProvider(name).version, pinned);
    });

  it('of claude is of one version in each case that says it', () => {
    const found = CLAUDE_CASES.flatMap(({ name }) =>
      recorded('claude', name).flatMap(({ text }) => /"claude_code_version":"([^"]*)"/.exec(text)?.[1] ?? []),
    );
    assert.deepEqual([...new Set(found)], [recordedVersion('claude')]);
    assert.ok(found.length >= 10, String(found.length));
  });
});
