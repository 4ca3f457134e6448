/** What our own last line of each scan looks like: see `Sentinel`. */
export const SENTINEL_RULE = 'bot-bottle-sentinel';
export const SENTINEL_PREFIX = 'bot-bottle-sentinel-';

/**
 * The default rules and one of ours, for the sentinel. What is given here is all there is: a `.gitleaks.toml` or
 * `.gitleaksignore` of the repository is not looked for.
 */
export const GITLEAKS_CONFIG = `
title = "bot-bottle"
[extend]
useDefault = true
[[rules]]
id = "${SENTINEL_RULE}"
description = "the end of what was to be scanned"
regex = '''${SENTINEL_PREFIX}[0-9a-f]{32}'''
keywords = ["${SENTINEL_PREFIX}"]
`;
