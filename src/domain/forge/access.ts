import type { Forge } from './forge.js';

/** Who counts: people with write access, members of the agent org, anybody. */
export type Audience = 'collaborators' | 'org' | 'anyone';

export interface AccessSettings {
  /** `FORGE_ORG` */
  readonly org: string;
  /** `FORGE_TRIGGER`: whose act may complete a trigger. */
  readonly trigger: Audience;
  /** `FORGE_WAKE`: whose comments, reviews and pushes may wake an agent. */
  readonly wake: Audience;
}

/** Answers from the forge, each asked once: lives for one delivery, so that nothing is believed for longer. */
export interface Access {
  isMember(login: string): Promise<boolean>;
  mayTrigger(login: string): Promise<boolean>;
  mayWake(login: string): Promise<boolean>;
}

export function createAccess(
  forge: Pick<Forge, 'isOrgMember' | 'permissionOf'>,
  settings: AccessSettings,
): Access {
  const isMember = once((login) => forge.isOrgMember(settings.org, login));
  const mayWrite = once(async (login) => {
    const permission = await forge.permissionOf(login);
    return permission === 'write' || permission === 'admin';
  });
  const admitted = (audience: Audience, login: string): Promise<boolean> => {
    if (audience === 'anyone') return Promise.resolve(true);
    return audience === 'org' ? isMember(login) : mayWrite(login);
  };
  return {
    isMember,
    mayTrigger: (login) => admitted(settings.trigger, login),
    mayWake: (login) => admitted(settings.wake, login),
  };
}

function once(ask: (login: string) => Promise<boolean>): (login: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  return (login) => {
    const known = asked.get(login);
    if (known !== undefined) return known;
    const answer = ask(login);
    // Some are asked ahead and may never be waited for; whoever waits still sees the error.
    answer.catch(() => undefined);
    asked.set(login, answer);
    return answer;
  };
}
