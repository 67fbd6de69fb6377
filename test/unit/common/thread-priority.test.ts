// A worker lowers only its own priority, as the kernel reports it.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { projectRoot } from '../../support/process.ts';

/** The priority of each thread of this process: proc_pid_stat(5), field 19. */
function priorities(): readonly number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

it('a worker lowers its own priority and no other thread’s', async () => {
  const before = priorities();
  const own = Math.max(...before);
  const code = `
    import { parentPort } from 'node:worker_threads';
    import { runBehindEventLoop } from '${pathToFileURL(join(projectRoot, 'common/thread-priority.ts'))}';
    runBehindEventLoop();
    parentPort.postMessage('lower');
    parentPort.once('message', () => process.exit());`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  await once(worker, 'message');
  expect(priorities().filter((priority) => priority > own)).toEqual([Math.min(19, own + 5)]);
  await worker.terminate();
  expect(Math.max(...priorities())).toBe(own);
});
