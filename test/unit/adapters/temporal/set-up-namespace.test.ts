import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { setUpNamespace } from '../../../../src/adapters/temporal/set-up-namespace.js';
import { SEARCH_ATTRIBUTES } from '../../../../src/workflows/messages.js';

const DAY_S = 86_400;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const INVALID_ARGUMENT = 3;

/** As gRPC's client makes them. */
function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${String(code)}: ${details}`), { code, details, metadata: {} });
}

/** A server that others administer: it has the search attributes, and answers `updateNamespace` with the error. */
function administered(
  update: Error,
  attributes: readonly string[] = Object.keys(SEARCH_ATTRIBUTES),
  retentionDays = 30,
): Client {
  const known = Object.fromEntries(attributes.map((name) => [name, 2]));
  const config = { workflowExecutionRetentionTtl: { seconds: retentionDays * DAY_S } };
  const client = {
    options: { namespace: 'theirs' },
    connection: {
      operatorService: {
        listSearchAttributes: () => Promise.resolve({ customAttributes: known }),
        addSearchAttributes: () => Promise.reject(update),
      },
      workflowService: {
        describeNamespace: () => Promise.resolve({ config }),
        updateNamespace: () => Promise.reject(update),
      },
    },
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
  };
  return client as unknown as Client;
}

describe('setting up a namespace that somebody else administers', () => {
  const lines: string[] = [];
  const patience = { ms: 1_000, say: (line: string): void => void lines.push(line) };
  beforeEach(() => {
    lines.length = 0;
  });

  for (const code of [PERMISSION_DENIED, UNIMPLEMENTED])
    it(`goes on with a word when its retention may not be set, gRPC ${String(code)}`, async () => {
      const client = administered(grpcError(code, 'Request unauthorized.'));
      assert.deepEqual((await setUpNamespace(client, patience)).added, []);
      assert.deepEqual(lines, [
        'the namespace theirs keeps closed workflows for 30 days, not 90 days, and the server refused to change that (Request unauthorized.): set it there',
      ]);
    });

  it('leaves a retention that is longer: others may share the namespace', async () => {
    const attributes = Object.keys(SEARCH_ATTRIBUTES);
    await setUpNamespace(administered(new Error('it was asked to change'), attributes, 365), patience);
    assert.deepEqual(lines, []);
  });

  it('fails where it fails for another reason', async () => {
    const broken = grpcError(INVALID_ARGUMENT, 'no such cluster');
    await assert.rejects(setUpNamespace(administered(broken), patience), /no such cluster/);
    assert.deepEqual(lines, []);
  });

  it('fails where it lacks a search attribute that may not be added', async () => {
    const refused = grpcError(PERMISSION_DENIED, 'Request unauthorized.');
    await assert.rejects(setUpNamespace(administered(refused, []), patience), /Request unauthorized/);
    assert.deepEqual(lines, []);
  });
});
