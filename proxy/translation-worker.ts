// The program of a worker of upstream/translation-workers.ts: it translates one call after the other, bytes in and
// bytes out.
import { parentPort } from 'node:worker_threads';
import { runBehindEventLoop } from '../common/thread-priority.ts';
import { wireFormatProviders } from './providers/index.ts';
import { type TranslationJob, translated } from './upstream/translation-job.ts';

/** Its name, for the code that starts it. */
export type TranslationWorkerName = 'translation-worker';

runBehindEventLoop();
parentPort?.on('message', (job: TranslationJob) => {
  void translated(job, wireFormatProviders).then((outcome) => {
    const { request, built, read } = outcome;
    const bytes = [request, built?.body, read?.body].flatMap((one) => one?.buffer ?? []);
    parentPort?.postMessage(outcome, [...new Set(bytes)]);
  });
});
