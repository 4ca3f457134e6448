/** Steps that a proposed Dockerfile adds to a run's image [S2]. Read strictly: whoever agrees to them sees all that is run. */
export interface ImageChange {
  readonly kind: 'image';
  /** Instructions in order, each in one line, without comments. */
  readonly steps: readonly string[];
  /** Whether the build has a network, which no allowlist limits: an operator says so, never an agent. */
  readonly network: boolean;
}

export type ReadSteps =
  | { readonly kind: 'change'; readonly change: ImageChange }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What may follow `FROM`: nothing that brings files from elsewhere, and nothing that a bottle decides itself. */
const ALLOWED: ReadonlySet<string> = new Set(['RUN', 'ENV', 'USER', 'WORKDIR']);
const MAX_STEPS = 40;
const NAMES = [...ALLOWED].join(', ');

const COMMENT = /^\s*#/;
/** Parser directives, which only count at the top; https://docs.docker.com/reference/dockerfile/#parser-directives. */
const DIRECTIVE = /^\s*#\s*(syntax|escape|check)\s*=/i;
const CONTINUED = /\\[ \t]*$/;
// What an operator would not see, or would see elsewhere than it is.
const UNSEEN = /[^\P{C}\t]|[\p{Zl}\p{Zp}]/u;

interface Instruction {
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

/** @param current as `imageFile` wrote it */
export function readImageChange(current: string, proposed: string): ReadSteps {
  const { instructions, problems } = readInstructions(proposed);
  const base = baseOf(current);
  const [from, ...rest] = instructions;
  if (from?.name !== 'FROM')
    problems.push(`line ${String(from?.line ?? 1)}: it must begin with FROM ${base}, your image`);
  else if (from.text.slice('FROM'.length).trim() !== base)
    problems.push(`line ${String(from.line)}: FROM must name your image, ${base}, and nothing else`);
  for (const { line, name, text } of from?.name === 'FROM' ? rest : instructions) {
    const where = `line ${String(line)}`;
    if (name === 'FROM') problems.push(`${where}: one FROM only`);
    else if (!ALLOWED.has(name))
      problems.push(`${where}: ${name.slice(0, 32)} cannot be used here, only ${NAMES}`);
    else if (/^\S+\s+--/.test(text)) problems.push(`${where}: ${name} takes no flags such as --mount here`);
    else if (text.endsWith('\\')) problems.push(`${where}: ${name} must not end in a backslash`);
    else if (!/^\S+\s+\S/.test(text)) problems.push(`${where}: ${name} says nothing`);
  }
  if (rest.length > MAX_STEPS) problems.push(`at most ${String(MAX_STEPS)} instructions: join some with &&`);
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'change', change: { kind: 'image', steps: rest.map(({ text }) => text), network: false } };
}

function readInstructions(file: string): { instructions: Instruction[]; problems: string[] } {
  const instructions: Instruction[] = [];
  const problems: string[] = [];
  let open: { line: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { line, lines } = open;
    // As the builder joins them: a word may go on in the next line.
    const text = lines
      .map((each) => each.replace(CONTINUED, ''))
      .join('')
      .trim();
    const [word = ''] = text.split(/\s/, 1);
    const name = word.toUpperCase();
    instructions.push({ line, name, text: name + text.slice(word.length) });
    open = undefined;
  };
  let isTop = true;
  for (const [index, text] of file.replaceAll('\r\n', '\n').split('\n').entries()) {
    const line = index + 1;
    if (UNSEEN.test(text)) problems.push(`line ${String(line)}: it has a character that cannot be seen`);
    isTop &&= DIRECTIVE.test(text);
    if (isTop) problems.push(`line ${String(line)}: no parser directives such as # syntax`);
    if (COMMENT.test(text) || text.trim() === '') continue;
    open ??= { line, lines: [] };
    open.lines.push(text);
    if (!CONTINUED.test(text)) close();
  }
  if (open !== undefined)
    problems.push(`line ${String(open.line)}: the instruction goes on after the last line: a \\ too many`);
  return { instructions, problems };
}

/** What the run's image is, for the agent: the file that a proposal starts from. */
export interface ShownImage {
  /** `sha256:…` */
  readonly id: string;
  /** Text of the bottle's own Dockerfile; `null`: an image with a name was taken. */
  readonly dockerfile: string | null;
  /** What was added since by proposals. */
  readonly steps: readonly string[];
}

export function imageFile({ id, dockerfile, steps }: ShownImage): string {
  const comments = [
    `Your image. A proposal adds ${NAMES} instructions below the FROM line; they are run without network`,
    'unless whoever approves them allows it, and USER root makes the following ones run as root.',
    ...(dockerfile === null ? [] : ["It was made from your bottle's Dockerfile:", ...indented(dockerfile)]),
    ...(steps.length === 0
      ? []
      : ['These steps were approved since, and are in it:', ...steps.flatMap(indented)]),
  ];
  return `${comments.map((line) => `# ${line}`.trimEnd()).join('\n')}\nFROM ${id}\n`;
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

function baseOf(current: string): string {
  return /^FROM (.*)$/m.exec(current)?.[1] ?? '';
}

/** The proposed steps without an agent's comments. */
export function plainImageFile(current: string, proposed: string): string {
  const read = readImageChange(current, proposed);
  const steps = read.kind === 'change' ? read.change.steps : [];
  return dockerfileOf(baseOf(current), steps);
}

/** What is built: `FROM` stands first, so no comment in the steps can be a directive. */
export function dockerfileOf(base: string, steps: readonly string[]): string {
  return [`FROM ${base}`, ...steps].map((line) => `${line}\n`).join('');
}

export function imageEffect({ steps, network }: ImageChange): readonly string[] {
  return [
    ...steps.map((step) => `its image is built anew with: ${step}`),
    network
      ? 'the build HAS A NETWORK: these steps run as root and reach any host, outside of the allowlist'
      : 'the build has no network',
  ];
}
