/** As much of Markdown as the checks of the documents need: links, anchors and code, without a parser. */

export interface Link {
  readonly line: number;
  readonly target: string;
}

export interface Code {
  readonly line: number;
  readonly text: string;
}

export interface Page {
  readonly links: readonly Link[];
  /** Inline code, and fenced blocks line by line. */
  readonly code: readonly Code[];
  /** Of its headings, as forges name them. */
  readonly anchors: ReadonlySet<string>;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/;
const INLINE_CODE = /(`+)(.+?)\1/g;
const LINK = /\[[^\]]*\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g;

export function readPage(markdown: string): Page {
  const links: Link[] = [];
  const code: Code[] = [];
  const anchors = new Set<string>();
  let fenced = false;
  markdown.split('\n').forEach((text, index) => {
    const line = index + 1;
    if (FENCE.test(text)) {
      fenced = !fenced;
    } else if (fenced) {
      code.push({ line, text });
    } else {
      for (const [, , inner = ''] of text.matchAll(INLINE_CODE)) code.push({ line, text: inner });
      for (const [, target = ''] of withoutCode(text).matchAll(LINK)) links.push({ line, target });
      const [, heading] = HEADING.exec(text) ?? [];
      if (heading !== undefined) anchors.add(unused(anchors, anchorOf(heading)));
    }
  });
  return { links, code, anchors };
}

/** What stands in code is no link, but a link's text may be code. */
function withoutCode(text: string): string {
  return text.replace(INLINE_CODE, 'code');
}

/** `## What is in the home` is `#what-is-in-the-home`, as Gitea and GitHub make it. */
function anchorOf(heading: string): string {
  const plain = heading.replace(LINK, (link) => link.slice(1, link.indexOf(']'))).replace(/[`*]/g, '');
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function unused(taken: ReadonlySet<string>, anchor: string): string {
  if (!taken.has(anchor)) return anchor;
  for (let n = 1; ; n += 1) {
    const next = `${anchor}-${String(n)}`;
    if (!taken.has(next)) return next;
  }
}
