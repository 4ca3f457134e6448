import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import Docker from 'dockerode';
import { dockerBottleRuntime } from '../../../../src/adapters/docker/docker-runtime.js';
import { rotateKey } from '../../../../src/adapters/dsse/signing-keys.js';
import { doctorProbes } from '../../../../src/wiring/doctor-probes.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('what doctor finds of services that are away', () => {
  const path = useTempDir();

  it('is one failure for the images without an engine, and leaves no rejection behind', async () => {
    const docker = new Docker({ socketPath: path('no.sock') });
    const probes = doctorProbes({ BOT_BOTTLE_HOME: path('home') }, dockerBottleRuntime({ docker }));
    await assert.rejects(probes.images(), /no Docker engine answers/);
    // Mocha fails a test that leaves a rejection unhandled.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('is whether the home can be written', () => {
    mkdirSync(path('home'));
    const writable = (home: string) => doctorProbes({ BOT_BOTTLE_HOME: home }).home().writable;
    assert.deepEqual([writable(path('home')), writable(path('nowhere'))], [true, false]);
  });

  it('is what sets a missing secret: the command, or another file that a setting names', () => {
    const home = path('home');
    const probes = doctorProbes({ BOT_BOTTLE_HOME: home, FORGE_TOKEN_FILE: path('token') });
    const remedies = Object.fromEntries(probes.secrets().map(({ name, reason }) => [name, reason]));
    assert.deepEqual(remedies, {
      'forge-token': `write the secret to ${path('token')}, mode 600`,
      'webhook-secret': 'bot-bottle secret set webhook-secret < file',
    });
  });

  it('is the key that signs, and why it cannot', () => {
    const signingKey = () => doctorProbes({ BOT_BOTTLE_HOME: path('home') }).signingKey();
    assert.equal(signingKey(), null);
    const id = rotateKey(path('home'));
    assert.equal(signingKey(), id);
    chmodSync(path('home/provenance/signing-key.pem'), 0o644);
    assert.throws(signingKey, /can be read by others: chmod 600 /);
  });

  it('is the reason alone for Temporal, without gRPC’s words around it', async () => {
    const probes = doctorProbes({ BOT_BOTTLE_HOME: path('home'), TEMPORAL_ADDRESS: '127.0.0.1:9' });
    assert.deepEqual(await probes.temporal(), {
      address: '127.0.0.1:9',
      problem: 'connect ECONNREFUSED 127.0.0.1:9',
    });
  });
});
