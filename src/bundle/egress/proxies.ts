import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { SlidingWindow } from '../../domain/base/sliding-window.js';
import { errorFields } from '../base/bundle-log.js';
import { globalOnly, operatorsOwn } from './addresses.js';
import { CredentialProxy } from './credential/credential-proxy.js';
import { collectDeadBuffers } from './dead-buffers.js';
import type { EgressPlaneOptions } from './egress-options.js';
import { ForwardProxy } from './forward/forward-proxy.js';
import { httpDoor } from './http-door.js';
import { Ledger } from './ledger.js';
import type { EgressLimits } from './limits.js';
import { LiveConfig } from './live-config.js';
import { LiveConnections } from './live-connections.js';
import { ModelPlane } from './model/model-plane.js';
import { EgressReporter } from './report.js';
import { dnsResolve, systemResolve } from './resolve.js';
import { UploadBudget } from './forward/upload-budget.js';
import { UpstreamClient } from './credential/upstream-client.js';

export interface Proxies {
  readonly forward: (socket: Socket) => void;
  readonly credential: (socket: Socket) => void;
  readonly stop: () => Promise<void>;
}

/** Puts the two proxies together, with the configuration as it is now and as it will be. */
export function startProxies(options: EgressPlaneOptions, limits: EgressLimits): Proxies {
  const { paths, log, now, network = {} } = options;
  const config = new LiveConfig(paths.config, log);
  const onMoved = collectDeadBuffers();
  const ledger = new Ledger(now, onMoved);
  const live = new LiveConnections();
  const models = new ModelPlane({
    budget: options.budget,
    prices: options.prices,
    maxBodyBytes: limits.maxBodyBytes,
    now,
    onMoved,
    onChange: () => {
      reporter.soon();
    },
  });
  const reporter = new EgressReporter({ ledger, model: () => models.report, send: options.report, log });
  const calls = (): SlidingWindow => new SlidingWindow(limits.callsPerMinute, () => performance.now());
  const client = new UpstreamClient({
    resolve: network.upstreamResolve ?? systemResolve,
    policy: network.upstreamPolicy ?? operatorsOwn,
    caFile: existsSync(paths.caFile) ? paths.caFile : null,
  });
  const forward = new ForwardProxy({
    config,
    ledger,
    live,
    log,
    calls: calls(),
    resolve: network.resolve ?? dnsResolve(),
    policy: network.policy ?? globalOnly,
    budget: new UploadBudget(options.uploadBytes, () => {
      void reporter.atOnce();
    }),
    helloMs: limits.helloMs,
  });
  const credential = new CredentialProxy({
    config,
    ledger,
    live,
    log,
    client,
    calls: calls(),
    secret: (name) => readSecretFile(join(paths.secrets, name)),
    maxBodyBytes: limits.maxBodyBytes,
    models,
  });
  config.watch(() => {
    const cut = live.cutWhatIsNotAllowed();
    if (cut > 0) log('info', 'connections cut that are no longer allowed', { cut });
  });
  reporter.start();
  const onFault = (error: unknown): void => {
    log('error', 'egress: a request failed', errorFields(error));
  };
  return {
    forward: httpDoor({
      onRequest: (request, response) => forward.request(request, response),
      onConnect: (request, socket, head) => forward.connect(request, socket, head),
      onFault,
    }),
    credential: httpDoor({
      onRequest: (request, response) => credential.request(request, response),
      onFault,
    }),
    stop: async () => {
      config.stop();
      credential.stop();
      client.close();
      await reporter.stop();
    },
  };
}

/** Read each time: the worker may replace it. The name is one that `parseRoutes` let through. */
function readSecretFile(file: string): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}
