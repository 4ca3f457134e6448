/** Workers that serve all lives of a mocha process on one server: starting them costs more than most lives. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ScriptedActivities } from './scripted-activities.js';
import { startWorkers, whileTheyRun, type AllActivities, type RunningWorkers } from './time-skipping.js';

type Activity = (...args: readonly unknown[]) => unknown;

const servers = new Map<TestWorkflowEnvironment, Promise<RunningWorkers>>();
const lives = new Map<string, AllActivities>();

/** Each call goes to the activities of the life whose workflow made it. */
const byLife = Object.fromEntries(
  Object.keys(new ScriptedActivities(() => ({ run: () => Promise.resolve({}) })).activities).map(
    (name): [string, Activity] => [
      name,
      (...args) => {
        const id = activityInfo().workflowExecution?.workflowId ?? 'no workflow';
        const activities = lives.get(id) as Readonly<Record<string, Activity>> | undefined;
        if (activities?.[name] === undefined) throw ApplicationFailure.nonRetryable(`${id} is over`, 'over');
        return activities[name](...args);
      },
    ],
  ),
) as unknown as AllActivities;

/** Runs work while the activities that the life calls are these. */
export async function withSharedWorkers<T>(
  environment: TestWorkflowEnvironment,
  workflowId: string,
  activities: AllActivities,
  work: () => Promise<T>,
): Promise<T> {
  const starting = servers.get(environment) ?? startWorkers(environment, byLife);
  servers.set(environment, starting);
  lives.set(workflowId, activities);
  try {
    return await whileTheyRun(await starting, work);
  } finally {
    lives.delete(workflowId);
  }
}

/** Before the server that they work for is stopped. */
export async function stopSharedWorkers(environment: TestWorkflowEnvironment): Promise<void> {
  const workers = await servers.get(environment);
  servers.delete(environment);
  workers?.stop();
  await workers?.stopped;
}
