import assert from 'node:assert/strict';
import Docker from 'dockerode';
import { DockerBottleRuntime } from '../../../../src/adapters/docker/docker-runtime.js';
import { doctorProbes } from '../../../../src/wiring/doctor-probes.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('what doctor says of the images', () => {
  const path = useTempDir();

  it('is one failure when the engine does not answer, and leaves no rejection behind', async () => {
    const docker = new Docker({ socketPath: path('no.sock') });
    const probes = doctorProbes({ BOT_BOTTLE_HOME: path('home') }, new DockerBottleRuntime({ docker }));
    await assert.rejects(probes.images(), /no Docker engine answers/);
    // Mocha fails a test that leaves a rejection unhandled.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
