// A hedged call: a call that may be repeated is also sent to another replica if there is no response in time. The first
// response counts.
import { LedgerRefusedError, LedgerStalledError } from '../usage/ledger-client.ts';

/**
 * Wait before the call is sent again, because this replica may be silent. Not shorter, because all replicas wait for
 * one database.
 */
const againMs = 1_000;
/** A time limit fires at most this much too late, unless the process stood still. */
const lateMaxMs = 250;

/**
 * @param ask sends the call, with this time limit in milliseconds. @throws LedgerRefusedError; LedgerStalledError;
 * otherwise the error of the last try
 */
export function hedged<Response>(timeoutMs: number, ask: (timeoutMs: number) => Promise<Response>): Promise<Response> {
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
        // Without another try under way the call fails at once: the sender of operations repeats those that failed.
        if (underWay > 0 && !(error instanceof LedgerRefusedError)) return;
        over();
        const isStalled = !(error instanceof LedgerRefusedError) && performance.now() > dueAt + lateMaxMs;
        reject(isStalled ? new LedgerStalledError(error) : error);
      },
    );
  };
  send(0);
  for (let afterMs = againMs; afterMs < timeoutMs; afterMs += againMs) timers.push(setTimeout(send, afterMs, afterMs));
  return promise;
}
