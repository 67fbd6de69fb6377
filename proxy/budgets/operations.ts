// Sends the operations of leases, each again unchanged until it gets a response: a request may stop waiting, an
// operation may not. While the control plane is away, operations rest; they are sent when it is back.
import type { Background } from '../../common/background.ts';
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { type AcquireResponse, type LedgerClient, LedgerRefusedError } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { Contact } from './contact.ts';
import type { Lease, LeaseOperation } from './lease.ts';

export interface OperationsDeps {
  readonly client: Pick<LedgerClient, 'acquire' | 'release'>;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  /** @param sentAt monotonic, of the try that got the response */
  readonly onAcquired: (lease: Lease, response: AcquireResponse, sentAt: number) => void;
  readonly onReturned: (lease: Lease, amount: number) => void;
  /** The operation is sent again nevertheless: it may be allowed later. */
  readonly onDenied: (lease: Lease) => void;
}

interface Sending {
  readonly lease: Lease;
  readonly operation: LeaseOperation;
  tries: number;
}

const { resumeSpreadMs, retryFirstMs, retryMaxMs } = budgetBounds;

export class Operations {
  readonly #deps: OperationsDeps;
  readonly #resting = new Set<Sending>();
  readonly #timers = new Set<() => void>();
  #isClosed = false;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  /** Sends the lease's operation, which has just begun. */
  send(lease: Lease): void {
    const { operation } = lease;
    if (operation === undefined) throw new Error('the lease has no operation to send');
    this.#try({ lease, operation, tries: 0 });
  }

  /** The control plane is back: sends the operations that rest. */
  resume(): void {
    const resting = [...this.#resting];
    this.#resting.clear();
    for (const sending of resting) this.#tryAfter(this.#deps.random() * resumeSpreadMs, sending);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
  }

  #try(sending: Sending): void {
    sending.tries += 1;
    const pending = this.#ask(sending);
    this.#deps.background(
      'operation of a budget',
      pending.then(
        (report) => report(),
        (error: unknown) => this.#again(sending, error),
      ),
    );
  }

  /**
   * @returns a function that reports the response, so that an error in its handling does not count as a failure of the
   * call
   */
  #ask({ lease, operation }: Sending): Promise<() => void> {
    const { client, clock, contact, onAcquired, onReturned } = this.#deps;
    const sentAt = clock.monotonic();
    const { kind, request } = operation;
    if (kind === 'acquire') {
      const pending = contact.ask(sentAt, () => client.acquire(request));
      return pending.then((response) => () => onAcquired(lease, response, sentAt));
    }
    const pending = contact.ask(sentAt, () => client.release(request));
    return pending.then(() => () => onReturned(lease, request.amount));
  }

  #again(sending: Sending, error: unknown): void {
    if (this.#isClosed) return;
    const { contact, onDenied, random } = this.#deps;
    if (contact.isAway) {
      this.#resting.add(sending);
      return;
    }
    this.#tryAfter(backoffMs(sending.tries, { firstMs: retryFirstMs, maxMs: retryMaxMs }, random), sending);
    if (error instanceof LedgerRefusedError) onDenied(sending.lease);
  }

  #tryAfter(delayMs: number, sending: Sending): void {
    const cancel = this.#deps.timers.after(delayMs, () => {
      this.#timers.delete(cancel);
      this.#try(sending);
    });
    this.#timers.add(cancel);
  }
}
