/**
 * By how much tests wait longer than they say: a time limit here finds what hangs, it measures nothing. `script/test`
 * sets it, since there other suites take the machine's time.
 */
export const PATIENCE = Number(process.env['BOT_BOTTLE_PATIENCE'] ?? 1);
