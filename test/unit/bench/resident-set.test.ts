import assert from 'node:assert/strict';
import { parseStatus, residentSet } from '../../../bench/base/resident-set.js';

describe('what a process holds of the memory', () => {
  it('is read in bytes, with the part of files and the most it ever was', () => {
    const status = [
      'Name:\tnode',
      'VmPeak:\t  999999 kB',
      'VmHWM:\t   73000 kB',
      'VmRSS:\t   72000 kB',
      'RssAnon:\t   22000 kB',
      'RssFile:\t   50000 kB',
    ].join('\n');
    assert.deepEqual(parseStatus(status), {
      bytes: 72_000 * 1024,
      fileBytes: 50_000 * 1024,
      peakBytes: 73_000 * 1024,
    });
  });

  it('is no figure of a process that has none', () => {
    assert.throws(() => parseStatus('Name:\tnode\nState:\tZ (zombie)\n'), /no VmRSS/);
  });

  it('is about what this process says of itself', async () => {
    const { bytes, fileBytes, peakBytes } = await residentSet(process.pid);
    const own = process.memoryUsage.rss();
    assert.ok(Math.abs(bytes - own) < own / 4, `${String(bytes)} and ${String(own)}`);
    assert.ok(fileBytes > 0 && fileBytes < bytes && peakBytes >= bytes);
  });
});
