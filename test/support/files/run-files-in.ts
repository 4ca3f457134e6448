import { LocalRunFiles, type RunFilesOptions } from '../../../src/adapters/files/run/run-files.js';

/** The files of runs in a home, where every secret is `secret`. */
export function runFilesIn(home: string, options: Partial<RunFilesOptions> = {}): LocalRunFiles {
  return new LocalRunFiles({
    home,
    forgeToken: () => Promise.resolve('token'),
    secret: () => Promise.resolve('secret'),
    ...options,
  });
}
