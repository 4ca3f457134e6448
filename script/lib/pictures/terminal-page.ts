/** What a program printed on a terminal, as a page that looks like one. */

const ESCAPE = String.fromCharCode(0x1b);
/** The codes that script/demo uses (feed.ts); each begins a style that lasts until the next code. */
const STYLES: Readonly<Record<string, string>> = { '1': 'bold', '2': 'dim', '31': 'bad', '32': 'good' };

/** The story alone: from its heading to the next one, without set-up before it and figures behind it. */
export function storyOf(output: string): readonly string[] {
  const lines = output.replaceAll('\r', '').split('\n');
  const begin = lines.findIndex((line) => line.startsWith(`${ESCAPE}[1mbot-bottle:`));
  if (begin < 0) throw new Error('the demo’s output has no heading');
  const length = lines.slice(begin + 1).findIndex((line) => line.startsWith(`${ESCAPE}[1m`));
  if (length < 0) throw new Error('the demo’s story has no end');
  return lines
    .slice(begin, begin + 1 + length)
    .join('\n')
    .trimEnd()
    .split('\n');
}

/** Text becomes text: nothing in it is markup. */
export function terminalPage(title: string, lines: readonly string[]): string {
  return `<!doctype html><meta charset="utf-8"><style>${CSS}</style>
<main><header><i></i><i></i><i></i>${escapeHtml(title)}</header><pre>${lines.map(styled).join('\n')}</pre></main>`;
}

function styled(line: string): string {
  const [plain = '', ...parts] = line.split(`${ESCAPE}[`);
  return [
    escapeHtml(plain),
    ...parts.map((part) => {
      const [, code = '', text = ''] = /^([\d;]*)m(.*)$/s.exec(part) ?? [];
      const style = STYLES[code];
      return style === undefined ? escapeHtml(text) : `<span class="${style}">${escapeHtml(text)}</span>`;
    }),
  ].join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const CSS = `
  body { margin: 0; background: #fff; }
  main { display: inline-block; background: #16181d; color: #d5d8de; border-radius: 8px; overflow: hidden; }
  header { background: #24272e; color: #9aa0ab; font: 13px 'DejaVu Sans', sans-serif; padding: 8px 14px; }
  header i { display: inline-block; width: 11px; height: 11px; border-radius: 6px; background: #4a4f5a; margin-right: 7px; }
  header i:last-of-type { margin-right: 14px; }
  pre { margin: 0; padding: 14px 18px 18px; font: 13px/1.38 'DejaVu Sans Mono', monospace; }
  .bold { color: #fff; font-weight: bold; }
  .dim { color: #7d838f; }
  .good { color: #6cc474; font-weight: bold; }
  .bad { color: #ef6b6b; font-weight: bold; }`;
