// A hedged call: what may be sent any number of times is sent to another replica too where no response comes; the first one counts.
import { LedgerRefusedError, LedgerStalledError } from '../budgets/ledger-client.ts';

/** This replica may be silent. Not sooner: all of them wait for one database. */
const againMs = 1_000;
/** What has a time limit ends so much after it at the latest, in a process that is not standing still. */
const lateMaxMs = 250;

/** @param ask in at most so many milliseconds. @throws LedgerRefusedError; LedgerStalledError; else what the last of them throws */
export function hedged<Response>(
  timeoutMs: number,
  ask: (timeoutMs: number) => Promise<Response>,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const dueAt = performance.now() + timeoutMs;
  const timers: NodeJS.Timeout[] = [];
  let underWay = 0;
  const over = () => {
    for (const timer of timers) clearTimeout(timer);
  };
  const send = (afterMs: number) => {
    underWay += 1;
    ask(timeoutMs - afterMs).then(
      (response) => {
        over();
        resolve(response);
      },
      (error: unknown) => {
        underWay -= 1;
        // Whoever sends operations tries again what has failed for now.
        if (underWay > 0 && !(error instanceof LedgerRefusedError)) return;
        over();
        const isStalled = !(error instanceof LedgerRefusedError) && performance.now() > dueAt + lateMaxMs;
        reject(isStalled ? new LedgerStalledError(error) : error);
      },
    );
  };
  send(0);
  for (let afterMs = againMs; afterMs < timeoutMs; afterMs += againMs)
    timers.push(setTimeout(send, afterMs, afterMs));
  return promise;
}
