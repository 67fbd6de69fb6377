// How slow the machine is while a test waits: what the same takes where nothing is wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './chat-requests.ts';

/**
 * Milliseconds of requests, one after another, from now until the wait is over. They cover the whole wait, so that a
 * pause of this process does not count as the gateway's.
 * @param request one that waits for nothing. @throws Error unless each response is 200
 */
export async function besides(wait: Promise<unknown>, request: () => Promise<Reply>): Promise<readonly number[]> {
  const waited: number[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  void wait.then(end, end);
  while (!isOver) {
    const { outcome, ms } = await request();
    if (outcome !== '200') throw new Error(`a request that waits for nothing returned ${outcome}`);
    waited.push(ms);
    await sleep(50);
  }
  return waited;
}

/** Milliseconds to allow for a busy machine: at least half a second, and twice the longest time beside. */
export function busyMs(beside: readonly number[]): number {
  return Math.max(500, 2 * Math.max(...beside));
}
