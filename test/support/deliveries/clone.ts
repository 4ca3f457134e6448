import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../git/environment.js';
import type { Person } from '../gitea/person.js';

const run = promisify(execFile);

/** Somebody's clone of a repository. */
export class Clone {
  private constructor(
    private readonly dir: string,
    private readonly person: Person,
  ) {}

  /** @param dir Not there yet. */
  static async of(person: Person, dir: string): Promise<Clone> {
    const clone = new Clone(dir, person);
    await clone.#git('clone', '--quiet', `${person.url}/${person.repo}.git`, dir);
    return clone;
  }

  /** Commits one file on a branch that is made from the forge's `main` when it is not there. */
  async commit(branch: string, file: string, content: string): Promise<void> {
    await this.#in('fetch', '--quiet');
    const known = await this.#in('rev-parse', '--verify', '--quiet', `origin/${branch}`).then(
      () => true,
      () => false,
    );
    await this.#in('checkout', '--quiet', '-B', branch, known ? `origin/${branch}` : 'origin/main');
    await writeFile(join(this.dir, file), content);
    await this.#in('add', file);
    await this.#in('commit', '--quiet', '--message', `Write ${file}`);
  }

  async push(branch: string): Promise<void> {
    await this.#in('push', '--quiet', 'origin', branch);
  }

  async #in(...args: readonly string[]): Promise<void> {
    await this.#git('-C', this.dir, ...args);
  }

  async #git(...args: readonly string[]): Promise<void> {
    const { login, password } = this.person;
    await run('git', args, { env: gitEnvironment(login, 'example.invalid', password) });
  }
}
