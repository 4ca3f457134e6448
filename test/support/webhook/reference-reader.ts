import assert from 'node:assert/strict';
import type { WakeReference } from '../../../src/domain/run/events.js';
import {
  readReferences,
  type ReferenceVerdict,
  type ReferenceWorld,
} from '../../../src/webhook/dispatch/read-references.js';
import type { Hint } from '../../../src/webhook/events/hint.js';
import { ALICE, BOT, FakeForge } from './fake-forge.js';

/** What hints become on a forge in memory: issue 12 with the bot and alice for assignees, pull request 31. */
export class ReferenceReader {
  readonly forge = new FakeForge();
  /** Whether they may wake an agent. */
  readonly asked: string[] = [];

  constructor() {
    this.forge.putIssue(12, { assignees: [BOT, ALICE] });
    this.forge.putPull(31);
  }

  read(hints: readonly Hint[], world: Partial<ReferenceWorld> = {}): Promise<ReferenceVerdict[]> {
    const { forge } = this;
    const access = {
      isMember: (login: string) => Promise.resolve(forge.members.has(login)),
      mayTrigger: () => assert.fail('nobody triggers anything'),
      mayWake: (login: string) => {
        this.asked.push(login);
        return Promise.resolve(forge.permissions.get(login) === 'write');
      },
    };
    const rules = { checks: true, wakeOn: 'every', ignored: new Set<string>() } as const;
    return readReferences({ forge: forge.bind(), access, bot: BOT, ...rules, ...world }, 12, hints);
  }

  async verdictOf(hint: Hint, world: Partial<ReferenceWorld> = {}): Promise<ReferenceVerdict> {
    const [verdict] = await this.read([hint], world);
    return verdict ?? assert.fail();
  }

  async referencesOf(hint: Hint, world: Partial<ReferenceWorld> = {}): Promise<readonly WakeReference[]> {
    const verdict = await this.verdictOf(hint, world);
    return verdict.kind === 'references' ? verdict.references : assert.fail(verdict.kind);
  }

  async kindOf(hint: Hint, world: Partial<ReferenceWorld> = {}): Promise<string> {
    return (await this.verdictOf(hint, world)).kind;
  }
}
