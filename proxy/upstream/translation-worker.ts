// What runs in a worker of translation-workers.ts: one call after the other is translated, bytes in and bytes out.
import { parentPort } from 'node:worker_threads';
import { translated, type TranslationJob } from './translation-job.ts';

parentPort?.on('message', (job: TranslationJob) => {
  void translated(job).then((outcome) => {
    const { request, built, read } = outcome;
    const bytes = [request, built?.body, read?.body].flatMap((one) => one?.buffer ?? []);
    parentPort?.postMessage(outcome, [...new Set(bytes)]);
  });
});
