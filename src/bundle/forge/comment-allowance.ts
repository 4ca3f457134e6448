import { formatBytes } from '../../domain/base/format-bytes.js';
import { JSON_RPC_CODE, JsonRpcError } from '../jsonrpc/protocol.js';

/** Of a turn, until its sidecar is restarted: each comment is a mail to everybody who watches. */
export const MAX_COMMENTS = 100;
export const MAX_COMMENT_BYTES = 1024 * 1024;

/** What may be posted of comments in all, each counted once however often it is asked for. */
export class CommentAllowance {
  readonly #markers = new Set<string>();
  #bytes = 0;

  /** @param marker equal for what is the same comment. Errors: `JsonRpcError` -32008, and nothing is counted. */
  take(marker: string, body: string): void {
    if (this.#markers.has(marker)) return;
    const bytes = this.#bytes + Buffer.byteLength(body, 'utf8');
    if (this.#markers.size >= MAX_COMMENTS || bytes > MAX_COMMENT_BYTES) {
      const why = `a turn posts at most ${String(MAX_COMMENTS)} comments and ${formatBytes(MAX_COMMENT_BYTES)} of them: say the rest in the summary of signal_done or in the text of the pull request`;
      throw new JsonRpcError(JSON_RPC_CODE.usedUp, why);
    }
    this.#markers.add(marker);
    this.#bytes = bytes;
  }
}
