// Keeps one session of the ledger open, and begins another when it was closed. Leases live within a session.
import type { Background } from '../../common/background.ts';
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { LedgerClient, SessionResponse } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { Contact } from './contact.ts';

export interface SessionDeps {
  readonly client: Pick<LedgerClient, 'keepSession'>;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly onOpen: (session: string) => void;
  /** @param isClosed this proxy closes the session: none of its money is released */
  readonly onLost: (session: string, isClosed: boolean) => void;
  /** The control plane's state of an open session. */
  readonly onKept: (response: SessionResponse) => void;
}

const { keepSessionMs, retryFirstMs, retryMaxMs } = budgetBounds;

export class Session {
  readonly #deps: SessionDeps;
  #id: string;
  #isOpen = false;
  #shuts = false;
  #sessions = 1;
  #isRequesting = false;
  /** The end of the previous session is still under way. */
  #isFinishing = false;
  /** Since the session was last known to be open. */
  #failures = 0;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#id = uuidv7(deps.clock.now());
  }

  start(): void {
    this.#ask();
  }

  /** Empty while no session is known to be open. */
  get current(): string {
    return this.#isOpen ? this.#id : '';
  }

  /** Whether the control plane supported shut money when the session was opened. */
  get shuts(): boolean {
    return this.#shuts;
  }

  /** Sessions that called the control plane within a minute, by its last response; at least 1. */
  get sessions(): number {
    return this.#sessions;
  }

  /** The newest session, open or not. */
  get id(): string {
    return this.#id;
  }

  /**
   * Ends this session and begins another, unless that has happened.
   * @param finish work to be done before the next session begins; it never rejects
   */
  renew(lost: string, finish?: () => Promise<void>): void {
    if (lost !== this.#id || this.#isClosed) return;
    this.#id = uuidv7(this.#deps.clock.now());
    this.#isOpen = false;
    this.#isRequesting = false;
    this.#failures += 1;
    this.#cancelTimer();
    const id = this.#id;
    const begin = () => {
      if (id === this.#id && !this.#isClosed) this.#askAfter(this.#failures === 1 ? 0 : this.#backoff());
    };
    this.#deps.onLost(lost, finish !== undefined);
    if (finish === undefined) begin();
    else this.#isFinishing = true;
    if (finish === undefined) return;
    const finished = finish().then(() => {
      this.#isFinishing = false;
      begin();
    });
    this.#deps.background('end a ledger session', finished);
  }

  /** The control plane may be away: calls it until it responds. */
  probe(): void {
    if (!this.#isRequesting && !this.#isFinishing && !this.#isClosed) this.#askAfter(this.#backoff());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
  }

  #askAfter(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.timers.after(delayMs, () => this.#ask());
  }

  #ask(): void {
    const { background, client, clock, contact } = this.#deps;
    const id = this.#id;
    this.#isRequesting = true;
    const pending = contact.ask(clock.monotonic(), () => client.keepSession(id));
    background(
      'keep the ledger session',
      pending.then(
        (response) => this.#onResponse(id, response),
        () => this.#failed(id),
      ),
    );
  }

  #onResponse(id: string, response: SessionResponse): void {
    if (id !== this.#id || this.#isClosed) return;
    const { open, sessions } = response;
    this.#isRequesting = false;
    const shuts = sessions > 0;
    // The control plane has another version: its leases are of another kind.
    if (!open || (this.#isOpen && shuts !== this.#shuts)) {
      this.renew(id);
      return;
    }
    this.#shuts = shuts;
    this.#sessions = Math.max(1, sessions);
    this.#failures = 0;
    this.#askAfter(keepSessionMs);
    if (this.#isOpen) {
      this.#deps.onKept(response);
      return;
    }
    this.#isOpen = true;
    this.#deps.onOpen(id);
  }

  #failed(id: string): void {
    if (id !== this.#id || this.#isClosed) return;
    this.#isRequesting = false;
    this.#failures += 1;
    this.#askAfter(this.#backoff());
  }

  #backoff(): number {
    const options = { firstMs: retryFirstMs, maxMs: retryMaxMs };
    return backoffMs(Math.max(1, this.#failures), options, this.#deps.random);
  }
}

const sessionsMax = 20;

/** Sessions of this process that ended recently: a database that has gone back may count them as open. */
export class RecentSessions {
  #ended: { readonly session: string; readonly at: number }[] = [];

  /** @param now monotonic */
  ended(session: string, now: number): void {
    this.#ended = [...this.#ended.slice(1 - sessionsMax), { session, at: now }];
  }

  /** In the order of their ends. */
  since(at: number): readonly string[] {
    return this.#ended.filter((each) => each.at >= at).map(({ session }) => session);
  }
}
