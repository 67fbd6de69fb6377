// The worker of guardrail-work.ts: it compiles and tests operators' texts outside the event loop, because that takes
// processor time.
import { parentPort } from 'node:worker_threads';
import { runBehindEventLoop } from '../../common/thread-priority.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import type { Problem } from '../domain/field.ts';
import { compileProblems, type GuardrailCheck } from '../domain/guardrail-check.ts';
import { type BodyTrialTask, runBodyTrials } from './body-trials.ts';
import { runTrials, type TrialTask } from './text-trials.ts';

export type GuardrailJob = { readonly check: GuardrailCheck } | { readonly trial: TrialTask | BodyTrialTask };

export type GuardrailJobDone =
  /** Sent once, first: the code is loaded, and a job's time limit starts only now. */
  | { readonly ready: true }
  | { readonly problems: readonly Problem[] }
  | { readonly tested: TestGuardrailsResponse | 'too_long' | 'no_json' };

function tried(task: TrialTask | BodyTrialTask) {
  return 'body' in task ? runBodyTrials(task) : runTrials(task);
}

runBehindEventLoop();
parentPort?.on('message', async (job: GuardrailJob) => {
  const done: GuardrailJobDone =
    'check' in job ? { problems: compileProblems(job.check) } : { tested: await tried(job.trial) };
  parentPort?.postMessage(done);
});
parentPort?.postMessage({ ready: true } satisfies GuardrailJobDone);
