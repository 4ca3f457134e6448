import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { loadConfig } from '../../../src/config/load-config.js';
import { nearName } from '../../../src/config/near-name.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { useDirectories } from '../../support/webhook/temp-dir.js';

const NAMES = Object.keys(SETTINGS);

describe('a name that is no setting', () => {
  let home: string;
  useDirectories((directory) => {
    home = directory;
  });

  const warnings = (...names: string[]): readonly string[] =>
    loadConfig({ BOT_BOTTLE_HOME: home, ...Object.fromEntries(names.map((name) => [name, 'x'])) }).warnings;
  const refusal = (text: string): string => {
    writeFileSync(path.join(home, 'config.yaml'), text, { mode: 0o600 });
    try {
      loadConfig({ BOT_BOTTLE_HOME: home });
    } catch (error) {
      return String(error);
    }
    return assert.fail('nothing was refused');
  };

  for (const [name, meant] of [
    ['FORGE_ORGG', 'FORGE_ORG'],
    ['BOTTLE_SLOT', 'BOTTLE_SLOTS'],
    ['forge_org', 'FORGE_ORG'],
    ['TEMPORAL_CODEC_KEY', 'TEMPORAL_CODEC_KEYS'],
  ] as const)
    it(`is an error in the file with its line and what was meant: ${name}`, () => {
      assert.equal(
        refusal(`# mine\n${name}: other\n`),
        `InvalidInputError: config.yaml:2: unknown setting ${name}: did you mean ${meant}?`,
      );
    });

  it('is an error in the file also where nobody can tell what was meant', () => {
    assert.match(refusal('NONSENSE: 1\n'), /config\.yaml:1: unknown setting NONSENSE$/);
    assert.match(refusal('FORGE_PASSWORD: 1\n'), /unknown setting FORGE_PASSWORD; secrets are files/);
  });

  for (const [name, meant] of [
    ['TEMPORAL_CODEC_KEY', 'TEMPORAL_CODEC_KEYS'],
    ['TEMPORAL_CODEC_KESY', 'TEMPORAL_CODEC_KEYS'],
    ['MODEL_MAX_OUTPUTS', 'MODEL_MAX_OUTPUT'],
    ['GC_KEP', 'GC_KEEP'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['FORGE_WAKEON', 'FORGE_WAKE_ON'],
    ['GITLEAK', 'GITLEAKS'],
    ['BOT_BOTTLE_HOM', 'BOT_BOTTLE_HOME'],
  ] as const)
    it(`is warned about in the environment with what was meant: ${name}`, () => {
      assert.deepEqual(warnings(name), [`${name} in the environment is no setting: did you mean ${meant}?`]);
    });

  it('is warned about in the environment when its first word is ours alone, whatever was meant', () => {
    const names = [
      'FORGE_NONSENSE',
      'SUPERVISE_X',
      'FREEZE_X',
      'TRANSCRIPT_NONSENSE',
      'BUNDLE_X',
      'NOTIFY_X',
    ];
    assert.deepEqual(
      warnings(...names),
      names.map((name) => `${name} in the environment is no setting`),
    );
  });

  it('is nobody’s mistake in the environment when it belongs to another program', () => {
    const others = [
      ...[
        'TEMPORAL_API_KEY',
        'TEMPORAL_TLS',
        'TEMPORAL_PROFILE',
        'TEMPORAL_CONFIG_FILE',
        'TEMPORAL_CODEC_AUTH',
      ],
      ...['TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_DB_PASSWORD', 'TEMPORAL_CLI_ADDRESS', 'TEMPORAL_CORS_ORIGINS'],
      ...['API_KEY', 'API_URL', 'API_TOKEN', 'LOG_FILE', 'LOG_FORMAT', 'LOG_DIR', 'MODEL', 'MODEL_NAME'],
      ...['MODEL_OPENAI_KEY', 'REGISTRY_URL', 'REGISTRY_AUTH_FILE', 'REGISTRY_HTTP_ADDR', 'WORKER_COUNT'],
      ...['GC_MARKERS', 'GITLEAKS_CONFIG', 'BOT_BOTTLE_USER', 'PATH', 'HOME', 'GITEA_PORT', '_', ''],
    ];
    assert.deepEqual(warnings(...others), []);
  });

  it('is told from each setting’s own by one slip: a letter too many, too few, wrong, or two swapped', () => {
    const letter = fc.constantFrom('A', 'B', 'X', 'Y', '_');
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.nat(), letter, fc.nat(3), (name, where, extra, kind) => {
        const at = where % name.length;
        const [before, here, behind] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
        const slipped = [
          `${before}${extra}${here}${behind}`,
          `${before}${behind}`,
          `${before}${extra}${behind}`,
          `${before}${behind.slice(0, 1)}${here}${behind.slice(1)}`,
        ][kind];
        assert.ok(slipped !== undefined && nearName(slipped, [name]) === name, slipped);
      }),
    );
  });

  it('is told nearest first, and by two slips only where it is long', () => {
    assert.equal(nearName('FORGE_WAKE_ONN', ['FORGE_WAKE', 'FORGE_WAKE_ON']), 'FORGE_WAKE_ON');
    assert.equal(nearName('BOTTLE_SLTO', ['BOTTLE_SLOTS']), undefined);
    assert.equal(nearName('BOTTLE_SLTOOS', ['BOTTLE_SLOTS']), 'BOTTLE_SLOTS');
    assert.equal(nearName('LOG_LABEL', ['LOG_LEVEL']), undefined);
    assert.equal(nearName('A'.repeat(100_000), NAMES), undefined);
  });
});
