import { InvalidInputError } from '../../domain/base/errors.js';
import { parseSubject } from '../../domain/forge/issue.js';
import type { SubjectRef } from '../../domain/forge/issue.js';
import type { ForgePages } from './deps.js';
import { isSlug } from '../../domain/run/slug.js';
import type { Target } from './orchestrator.js';

const PAGE = /^\/([^/]+)\/([^/]+)\/(?:issues|pulls)\/(\d{1,16})(?:\/|$)/;

/**
 * Which run is meant: the address of an issue or pull request, `owner/repo#12`, or a slug.
 * @param forge the configured one and its pages: an address elsewhere is refused, since the same path on another forge
 *   is another issue
 * @throws InvalidInputError when it is none of the three
 */
export function parseTarget(text: string, forge: ForgePages): Target {
  const subject = subjectOf(text, forge);
  if (subject !== undefined) return { kind: 'subject', subject };
  if (isSlug(text)) return { kind: 'slug', slug: text };
  throw new InvalidInputError(
    'expected the address of an issue, owner/repo#12, or a slug (bot-bottle orchestrate status lists them)',
  );
}

/** The same where only an issue or pull request will do. @param option which takes it, such as `--issue` */
export function parseIssue(text: string, option: string, forge: ForgePages): SubjectRef {
  const subject = subjectOf(text, forge);
  if (subject !== undefined) return subject;
  throw new InvalidInputError(`${option} takes owner/repo#12, with the number, or the address of an issue`);
}

function subjectOf(text: string, forge: ForgePages): SubjectRef | undefined {
  return /^https?:\/\//i.test(text) ? subjectOfPage(text, forge) : parseSubject(text, forge.kind);
}

function subjectOfPage(text: string, { kind, webUrl }: ForgePages): SubjectRef {
  if (webUrl === null) {
    throw new InvalidInputError(
      'no forge is configured, so an address cannot be matched: use owner/repo#12 or a slug',
    );
  }
  const base = new URL(webUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const page = URL.canParse(text) ? new URL(text) : undefined;
  if (page?.host !== base.host || !page.pathname.startsWith(`${prefix}/`)) {
    throw new InvalidInputError(`that address is not below ${webUrl}, the configured forge`);
  }
  const [, owner, repo, number] = PAGE.exec(page.pathname.slice(prefix.length)) ?? [];
  const subject = parseSubject(`${owner ?? ''}/${repo ?? ''}#${number ?? ''}`, kind);
  if (subject === undefined)
    throw new InvalidInputError('that address is neither an issue nor a pull request');
  return subject;
}
