/** gitleaks' one rule that goes by a word such as `key` and by how random the rest of the line looks. */
const GUESSING_RULE = 'generic-api-key';
/** Full of hashes, and made or brought by tools: there the guess is nearly always wrong. */
const FULL_OF_HASHES = [
  /(?:^|\/)(?:vendor|node_modules|bower_components|site-packages|[^/]+\.dist-info)\//i,
  /(?:^|\/)(?:\.?v?env|virtualenv)\/lib(?:64)?\//i,
  /(?:^|\/)(?:go\.mod|npm-shrinkwrap\.json|verification-metadata\.xml)$/i,
  /(?:\.lock|\.lockfile|[-.]lock\.(?:json|ya?ml)|\.sum|\.min\.(?:js|css)|\.map|\.svg)$/i,
];

/** Whether a finding counts in a file that gitleaks' own lists may have been made to pass over. */
export function countsIn(path: string, rule: string): boolean {
  return rule !== GUESSING_RULE || !FULL_OF_HASHES.some((pattern) => pattern.test(path));
}
