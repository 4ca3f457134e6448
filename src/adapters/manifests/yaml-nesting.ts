import { CST, Lexer } from 'yaml';

/** Deeper than any manifest, in flow style and, on one line, in block style. */
const MAX_DEPTH = 16;

/**
 * Whether text would lead the parser deeper than anybody writes. The parser descends by recursion, and near the end of
 * the stack V8 aborts the process instead of throwing: whoever may write a manifest could end the worker. The lexer
 * runs in linear time and does not descend. Block style over several lines needs an indentation that grows with it, so
 * the length of the text bounds that.
 */
export function isNestedTooDeeply(text: string): boolean {
  let flow = 0;
  let indicators = 0;
  for (const token of new Lexer().lex(text)) {
    switch (CST.tokenType(token)) {
      case 'flow-map-start':
      case 'flow-seq-start':
        flow += 1;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        flow -= 1;
        break;
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
      case 'anchor':
      case 'tag':
        // Entries of a flow collection may stand on one line, as many as there are.
        if (flow <= 0) indicators += 1;
        break;
      case 'newline':
        indicators = 0;
        break;
      default:
    }
    if (flow > MAX_DEPTH || indicators > MAX_DEPTH) return true;
  }
  return false;
}
