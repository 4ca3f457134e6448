/**
 * What the program's exit status says. `--wait` is the exception: it hands on the agent's own exit code, and `--json`
 * then tells an agent's 3 from ours.
 */
export const EXIT = {
  ok: 0,
  /** It was tried and failed. */
  failed: 1,
  /** The command line or the configuration is wrong; nothing was tried. */
  usage: 2,
  /** No such run, issue, pull request or manifest. */
  notFound: 3,
  /** It is there, but what was asked cannot apply now; the reason is printed. */
  refused: 4,
  /** Temporal, the container engine or the forge does not answer. */
  unreachable: 5,
} as const;
