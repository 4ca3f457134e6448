/**
 * Marks in running text that a forge acts on or that its page loads something for, made inert: a zero-width space (U+200B) inside the mark.
 * It looks the same to a reader, and no parser sees a mention, a reference, a command, an image or an element.
 * Sources: Gitea's references.go, html.go and html_link.go, GitHub's manual. Every alternative below looks at a bounded
 * piece, or at one that the next match begins after, so that the whole costs time in proportion to the text.
 */

export const ZERO_WIDTH_SPACE = '\u200B';
const Z = ZERO_WIDTH_SPACE;

/** Controls, bidi marks and every other invisible character, but line feed, tab and the joiners that scripts and emoji need. */
export const INVISIBLE = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Elements without attributes that agents write and that load nothing. */
const PLAIN_TAG =
  '<(?:/?(?:b|code|del|details|em|i|ins|kbd|mark|s|small|strong|sub|summary|sup|u)|br ?/?|details open)>';
/** Markdown and HTML that a forge may drop before it looks for a number: `#**12**`. */
const MARKUP = '(?:[*_~`\\\\]|<[^<>\\n]{0,80}>){0,20}';
/** An address that reads the same whichever parser cuts it out: no entity or mark of Markdown in it that could end it earlier. */
const ADDRESS =
  '(?<![a-z])https?://[a-z0-9](?:[a-z0-9.:/%?=+,;-]|(?<=[a-z0-9/])@|(?<=[a-z0-9/=])#|(?<=[a-z0-9])(?:_|&(?![a-z0-9]{1,32};))(?=[a-z0-9]))*';
const ALT = '[^\\[\\]<>`\\\\!@#&$\\n]*';
const DESTINATION = '[^\\s()<>\\[\\]`"\'\\\\]*';
const TITLE = '(?: "[^"\\\\`<>&@#!\\[\\]\\n]*")?';
const ISSUE_PATH = '/(?:issues|pulls?|merge_requests)';

/** Without groups, which a text of nothing but marks pays for at each: what was found is told by how it begins. */
const MARK = new RegExp(
  [
    `(?<![!<\\[\\\\])!\\[${ALT}\\]\\(${DESTINATION}${TITLE}\\)`,
    `\\]\\(${DESTINATION}${TITLE}\\)`,
    '<https?://[^\\s<>`\\\\]*>|<[a-z0-9](?:[\\w.+-]*[a-z0-9])?@[a-z0-9-]+(?:[.][a-z0-9-]+)*>',
    PLAIN_TAG,
    ADDRESS,
    '&(?:#(?:\\d+|x[0-9a-f]+);?|[a-z][a-z0-9]*;)',
    // A fence can only begin where nothing but white space and marks of lists stand before it.
    '`{3,}|~{3,}',
    // Of a block of mathematics, which Gitea ends by other rules than a fence.
    '\\\\\\[',
    // Mentions, `owner/repo@sha`, Gitea's `@1h` time log. After a letter or digit (mail address, `pkg@1.2`) none is read.
    '(?<![a-z0-9])@(?=\\S)',
    '@(?=[0-9a-f]{7})(?<=[\\w.-]/[\\w.-]{1,100}@)',
    // `#12`, `!12`, `owner/repo#12`: without them a closing keyword has nothing to close.
    `[#!](?=${MARKUP}[0-9])`,
    '\\bGH-(?=[0-9])',
    `${ISSUE_PATH}/(?=[0-9])`,
    '\\\\/(?=[0-9])',
    // An image; `[[picture.png]]`, Gitea's short link, is one too.
    '!(?=\\[)',
    '\\[(?=\\\\?\\[)',
    '\\$(?=\\$)',
    // Any other element, comment or declaration.
    '<(?=[a-z/!?])',
  ].join('|'),
  'gi',
);

/** Code points below U+00A0 whose entities cannot make a mark: quotes, `&`, `<`, `>`, `|`. */
const HARMLESS_CODES = new Set([34, 38, 39, 60, 62, 124]);
const HARMLESS_NAMES = new Set(
  (
    'amp lt gt quot apos nbsp copy reg trade hellip mdash ndash larr uarr rarr darr harr times divide middot bull deg plusmn ' +
    'sect para laquo raquo ldquo rdquo lsquo rsquo euro pound yen cent check cross le ge ne infin'
  ).split(' '),
);

/**
 * Lines, or parts of them, outside code.
 * @param forge where its pages are (`https://git.example`), whose images stay images; `null` when it is not known
 */
export function inertMarks(
  text: string,
  forge: string | null,
  tags: 'in text' | 'as they are' = 'in text',
): string {
  return text.replace(MARK, (mark: string, at: number) => {
    switch (mark[0]) {
      case '!':
        return mark.length > 1 ? imageOrLink(mark, forge) : mark + Z;
      case ']':
        return inertAddress(mark);
      case 'h':
      case 'H':
        return bareAddress(mark);
      case '&':
        return inertEntity(mark);
      case '`':
      case '~':
        return Z + mark;
      case '<':
        if (mark.length === 1) return mark + Z;
        if (/[@:]/.test(mark)) return inertAddress(mark);
        // At the beginning of a line it would open a block of HTML, in which nothing is code.
        return tags === 'as they are' || /[a-z0-9.,;:!?)]/i.test(text.charAt(at - 1)) ? mark : Z + mark;
      case '\\':
        if (mark === '\\/') return mark + Z;
        return Z + mark + (/^\\?\[/.test(text.slice(at + 2, at + 4)) ? Z : '');
      default:
        return mark + Z;
    }
  });
}

const ENTITY = /&(?:#(?:\d+|x[0-9a-f]+);?|[a-z][a-z0-9]*;)/gi;
/** `%312` is 12 to a browser and a server, but not to what looks for numbers of issues. */
const NUMBER_IN_PATH = new RegExp(`(${ISSUE_PATH}/+)([0-9])`, 'gi');

function inertAddress(address: string): string {
  return address.replace(ENTITY, inertEntity).replace(NUMBER_IN_PATH, '$1%3$2');
}

/** @param entity one whole `ENTITY` */
function inertEntity(entity: string): string {
  if (isHarmless(entity)) return entity;
  return entity[1] === '#' ? `&${Z}#${Z}${entity.slice(2)}` : `&${Z}${entity.slice(1)}`;
}

function isHarmless(entity: string): boolean {
  if (entity[1] !== '#') return HARMLESS_NAMES.has(entity.slice(1, -1));
  const digits = entity.slice(2, -1);
  if (!entity.endsWith(';') || digits.length > 7) return false;
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  if (code < 0xa0) return HARMLESS_CODES.has(code);
  return code <= 0x10ffff && String.fromCodePoint(code).replace(INVISIBLE, '') !== '';
}

/** Gitea shows lines of a file in place of an address with `#L1`. */
function bareAddress(address: string): string {
  const inert = inertAddress(address);
  return inert.includes('/src/commit/') ? inert.replace(/#(?=L\d)/gi, `#${Z}`) : inert;
}

const IMAGE = new RegExp(`^!\\[(${ALT})\\]\\((${DESTINATION})`);

/** An image of the forge's own stays; any other address would tell whoever opens the page's browser what is in it. */
function imageOrLink(image: string, forge: string | null): string {
  const [, alt = '', address = ''] = IMAGE.exec(image) ?? [];
  const path = forge !== null && address.startsWith(`${forge}/`) ? address.slice(forge.length) : address;
  if (OWN_PATH.test(path)) return image;
  return `[${alt.trim() === '' ? 'image' : alt}](${inertAddress(address)})`;
}

/** Relative, so on the forge; `//host/` and `scheme:` are not. */
const OWN_PATH = /^(?:\/(?!\/))?[A-Za-z0-9._-][A-Za-z0-9._/%-]*$/;
