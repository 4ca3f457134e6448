/** Looks for secrets where none may be: as they are, in hexadecimal, and inside any Base64. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Byte strings of which at least one is in whatever contains the secret. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  // Base64 depends on what stands before it modulo 3; the characters at both ends are shared with neighbours.
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : shift + 1, -1);
  });
  return [secret, bytes.toString('hex'), ...base64].map((form) => Buffer.from(form));
}

export class SecretSearch {
  private readonly needles: { readonly name: string; readonly forms: Buffer[] }[];

  constructor(secrets: Readonly<Record<string, string>>) {
    this.needles = Object.entries(secrets).map(([name, secret]) => ({ name, forms: formsOf(secret) }));
  }

  /** Names of the secrets that are in there. */
  in(haystack: string | Uint8Array): string[] {
    const bytes = Buffer.from(haystack);
    return this.needles
      .filter(({ forms }) => forms.some((form) => bytes.includes(form)))
      .map(({ name }) => name);
  }

  /** `path: secret` of every file below the directory; the skipped paths are relative to it. */
  async below(
    root: string,
    skip: readonly string[] = [],
  ): Promise<{ readonly found: string[]; readonly files: number }> {
    const found: string[] = [];
    let files = 0;
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(root, path);
      if (!entry.isFile() || skip.some((one) => name === one || name.startsWith(`${one}/`))) continue;
      files += 1;
      const content = await readFile(path).catch(() => Buffer.alloc(0));
      found.push(...this.in(content).map((secret) => `${name}: ${secret}`));
    }
    return { found, files };
  }
}

/** A pattern for `grep -E` that matches the text and not itself, so that the prompt it stands in is no hit. */
export function patternFor(secret: string): string {
  return `${secret.slice(0, 3)}[${secret.slice(3, 4)}]${secret.slice(4)}`;
}
