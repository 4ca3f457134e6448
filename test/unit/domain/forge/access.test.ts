import assert from 'node:assert/strict';
import { createAccess, type Access, type Audience } from '../../../../src/domain/forge/access.js';
import type { Permission } from '../../../../src/domain/forge/issue.js';

const PERMISSIONS: Readonly<Record<string, Permission>> = {
  admin: 'admin',
  writer: 'write',
  reader: 'read',
  stranger: 'none',
};

function accessOf(trigger: Audience, wake: Audience): { access: Access; asked: string[] } {
  const asked: string[] = [];
  const forge = {
    isOrgMember: (org: string, login: string) => {
      asked.push(`${org}: ${login}`);
      return Promise.resolve(login === 'member');
    },
    permissionOf: (login: string) => {
      asked.push(login);
      return login === 'broken'
        ? Promise.reject(new Error('no answer'))
        : Promise.resolve(PERMISSIONS[login] ?? 'none');
    },
  };
  return { access: createAccess(forge, { org: 'agents', trigger, wake }), asked };
}

const PEOPLE = ['admin', 'writer', 'reader', 'member', 'stranger'];
const WHO: Readonly<Record<Audience, readonly string[]>> = {
  anyone: PEOPLE,
  collaborators: ['admin', 'writer'],
  org: ['member'],
};

describe('who may trigger and wake', () => {
  for (const [audience, admitted] of Object.entries(WHO) as [Audience, readonly string[]][])
    it(`${audience} are ${admitted.join(', ')}, each setting by itself`, async () => {
      const nobody = audience === 'org' ? 'collaborators' : 'org';
      for (const person of PEOPLE) {
        const may = admitted.includes(person);
        assert.equal(await accessOf(audience, nobody).access.mayTrigger(person), may, person);
        assert.equal(await accessOf(nobody, audience).access.mayWake(person), may, person);
      }
    });

  it('asks the forge once for each person, and of the agents’ own organization', async () => {
    const { access, asked } = accessOf('collaborators', 'collaborators');
    for (const person of ['writer', 'reader', 'writer']) {
      await access.mayTrigger(person);
      await access.mayWake(person);
    }
    assert.equal(await access.isMember('member'), true);
    assert.equal(await access.isMember('member'), true);
    assert.deepEqual(asked, ['writer', 'reader', 'agents: member']);
  });

  it('asks nothing where anybody may', async () => {
    const { access, asked } = accessOf('anyone', 'anyone');
    await access.mayTrigger('stranger');
    assert.deepEqual(asked, []);
  });

  it('lets nobody in when the forge does not answer', async () => {
    const { access } = accessOf('collaborators', 'collaborators');
    // Asked ahead and not waited for.
    void access.mayTrigger('broken').catch(() => undefined);
    await assert.rejects(access.mayWake('broken'), /no answer/);
  });
});
