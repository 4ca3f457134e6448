import assert from 'node:assert/strict';
import type { Request, Response } from 'express';
import { authorize } from '../../../src/api/authorize.js';

describe('requests of a token in a minute', () => {
  it('are not counted by a clock that may be set back', async () => {
    let now = Date.parse('2026-11-27T12:00:00.000Z');
    const token = { id: '0', name: '', scope: 'read', createdAt: 0, expiresAt: now * 2 } as const;
    const handler = authorize({
      tokens: { find: () => Promise.resolve(token) },
      ...{ now: () => now, requestsPerMinute: 1 },
    });
    const request = { headers: { authorization: 'Bearer x' } } as Request;
    const ask = async (): Promise<string | undefined> => {
      let wait: string | undefined;
      const response = {
        locals: {},
        setHeader: (_name: string, value: string) => (wait = value),
        ...{ status: () => response, type: () => response, send: () => response },
      };
      await handler(request, response as unknown as Response, () => undefined);
      return wait;
    };
    assert.equal(await ask(), undefined);
    now -= 3_600_000;
    assert.ok(Number(await ask()) <= 60);
  });
});
