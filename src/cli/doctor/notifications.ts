import { fail, ok, warn, type Finding } from './check.js';
import type { DoctorProbes } from './probes.js';

/** Whether people can be told what waits for them. That the webhook's secret is there is told among the secrets. */
export function notificationsFinding({
  command,
  webhook,
  givenUp,
  failing,
}: Awaited<ReturnType<DoctorProbes['notifications']>>): Finding {
  const hooks = [...(command === null ? [] : [command.path]), ...(webhook === null ? [] : [webhook])];
  if (hooks.length === 0) return ok('no hook is set: look at bot-bottle orchestrate status, and proposals');
  const found = hooks.join(', ');
  if (command?.executable === false)
    return fail(
      found,
      `${command.path} is no program that this user may start: set NOTIFY_COMMAND to one, or chmod +x it`,
    );
  if (givenUp + failing === 0) return ok(found);
  return warn(
    `${found}; could not be told: ${String(givenUp + failing)}, ${String(givenUp)} of them given up`,
    'the log of the worker says why; try the hook: bot-bottle notify test',
  );
}
