/** Who gave a command, where the sender did not say: it came through Temporal's own page or CLI. */
export const UNKNOWN_OPERATOR = 'unknown (Temporal)';

/** Why what is none is refused. */
export const NO_OPERATOR_NAME = '"by" must be one word of at most 128 characters, such as user@host';

const NAME = /^[^\p{C}\p{Z}]{1,128}$/u;

/** A name that the sender of a command gives itself, such as `alice@build-1`: one word that a terminal can show. */
export function isOperatorName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** For the record: what is no name was not sent by a program of ours. */
export function operatorOrUnknown(by: unknown): string {
  return isOperatorName(by) ? by : UNKNOWN_OPERATOR;
}
