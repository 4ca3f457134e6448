import { inertMarks } from './inert-marks.js';

/**
 * A Markdown text in parts, those that are made inert and those that stay. Neighbours are made inert together: a call for
 * each of many short lines costs several times what the characters do.
 */
export class InertParts {
  readonly #done: string[] = [];
  #text: string[] = [];

  constructor(private readonly forge: string | null) {}

  text(part: string): void {
    this.#text.push(part);
  }

  code(part: string): void {
    this.#done.push(this.#inert(), part);
  }

  /** A line of a folding element, whose tag stays. */
  fold(line: string): void {
    this.#done.push(this.#inert(), inertMarks(line, this.forge, 'as they are'));
  }

  whole(): string {
    return this.#done.join('') + this.#inert();
  }

  #inert(): string {
    const text = this.#text.join('');
    this.#text = [];
    // Between two blocks of code.
    return text === '\n' ? text : inertMarks(text, this.forge);
  }
}
