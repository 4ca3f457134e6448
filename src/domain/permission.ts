/** Who may drive an agent (product spec, "Trigger and who may drive an agent"). */
import type { Forge } from './ports.js';

/** `collaborators`: write access to the repository; `org`: member of the agent org; `anyone`. */
export type AllowedActors = 'collaborators' | 'org' | 'anyone';

/** A fresh answer from the forge. */
export async function mayDrive(
  forge: Forge,
  login: string,
  allowed: AllowedActors,
  org: string,
): Promise<boolean> {
  switch (allowed) {
    case 'anyone':
      return true;
    case 'org':
      return forge.isOrgMember(org, login);
    case 'collaborators': {
      const permission = await forge.permissionOf(login);
      return permission === 'write' || permission === 'admin';
    }
  }
}

/** The assignees that are members of the agent org. */
export async function memberAssignees(
  forge: Forge,
  logins: readonly string[],
  org: string,
): Promise<string[]> {
  const answers = await Promise.all(
    logins.map(async (login) => ((await forge.isOrgMember(org, login)) ? login : null)),
  );
  return answers.filter((login) => login !== null);
}
