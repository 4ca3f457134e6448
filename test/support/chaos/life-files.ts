/** What the home's files and rows say of one life. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import type { StackFiles } from '../stack/stack-files.js';
import { countWord } from './words.js';

/** Below `state/<slug>`, while the run lives. */
const LIVING = ['workspace', 'turn', 'config', 'queue', 'bundle'];

export class LifeFiles {
  constructor(
    private readonly files: StackFiles,
    readonly subject: SubjectRef,
  ) {}

  /** The home is there, the database may not be yet. */
  row(): Promise<ForgeStateRow | undefined> {
    return this.files.stateRow(this.subject).catch(() => undefined);
  }

  /** Runs of the issue, by what each says of itself. */
  async slugs(): Promise<string[]> {
    const id = workflowIdOf(this.subject);
    const found: string[] = [];
    for (const slug of await this.files.slugs()) {
      const text = await this.files.text(slug, 'metadata.json');
      if (text.includes(JSON.stringify(id))) found.push(slug);
    }
    return found.sort();
  }

  /** Turns whose agent was told of the word, one for each time. */
  async toldIn(slug: string, word: string): Promise<number[]> {
    const told = await this.tellings(slug);
    return told.flatMap(({ turn, news }) => Array.from({ length: countWord(news, word) }, () => turn));
  }

  /** What each turn's agent was told of what happened. A turn that did not come to run told nobody. */
  async tellings(slug: string): Promise<{ readonly turn: number; readonly news: string }[]> {
    const ended = new Set((await this.files.endedTurns(slug)).map(({ turn }) => turn));
    const names = await readdir(this.files.path(slug, 'turns')).catch(() => []);
    const turns = names
      .map(Number)
      .filter((turn) => turn > 0)
      .sort((a, b) => a - b);
    const told: { readonly turn: number; readonly news: string }[] = [];
    for (const turn of turns) {
      const isGiven = ended.has(turn) || (await this.files.invocations(slug, turn)) > 0;
      if (isGiven) told.push({ turn, news: newsIn(await this.files.prompt(slug, turn)) });
    }
    return told;
  }

  /** How many turns have begun. */
  async turns(slug: string): Promise<number> {
    return (await this.files.turnRows(slug)).filter(({ event }) => event === 'begun').length;
  }

  /** Directories that should have gone with the run. */
  stillThere(slug: string): string[] {
    return LIVING.map((name) => this.files.path(slug, name)).filter(existsSync);
  }
}

/**
 * An agent that the machine ended, or one in the place of an agent that did not know its session, may be told once more what
 * may not have been read: that is said, and is no second time.
 */
const MAY_NOT_HAVE_READ =
  /^(?:The machine stopped in the middle of your last turn|This is a new session\. Your last session is lost\.) /m;
const REPEATED = /^## .*, which an earlier prompt of yours had, too:$/;

/**
 * The part of a prompt that tells what happened since. What stands before it in a fresh session's is for the agent to look
 * up, and repeats what was told. Words of people are quoted, so none of them is such a heading.
 */
export function newsIn(prompt: string): string {
  const headings = [...prompt.matchAll(/^# What (?:happened since your last turn|else happened)$/gm)];
  const last = headings.at(-1);
  if (last === undefined) return '';
  const sections = prompt.slice(last.index).split(/^(?=## )/m);
  const isNews = (section: string): boolean => !REPEATED.test(section.split('\n', 1)[0] ?? '');
  return (MAY_NOT_HAVE_READ.test(prompt) ? sections.filter(isNews) : sections).join('');
}
