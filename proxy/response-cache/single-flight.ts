// Equal requests at the same time: one of them leads and calls the provider, the others wait for what it gets. A leader
// that fails hands over to one that waits. If leaders fail repeatedly, or what they get is not for sharing, those that
// wait are released: they must not queue behind a provider that is down.

/** How many may wait for one leader. Further requests go alone. */
export const waitingMax = 64;
/** Leaders that may fail, one after the other, before those that wait are released. */
const failuresMax = 2;

/** `alone`: the request neither leads nor waits. */
export type Entered<T> = Leader<T> | Waiter<T> | 'alone';

export type Waited<T> = { readonly value: T } | Leader<T> | 'alone';

export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Requests that lead. */
  get size(): number {
    return this.#flights.size;
  }

  enter(key: string): Entered<T> {
    const flight = this.#flights.get(key);
    if (flight !== undefined) return flight.waiting.size < waitingMax ? new Waiter(flight) : 'alone';
    const begun: Flight<T> = {
      waiting: new Set(),
      failures: 0,
      over: () => void this.#flights.delete(key),
    };
    this.#flights.set(key, begun);
    return new Leader(begun);
  }
}

interface Flight<T> {
  /** In the order of their arrival. */
  readonly waiting: Set<Waiter<T>>;
  failures: number;
  over(): void;
}

/** It ends exactly once: the first end counts. */
export class Leader<T> {
  readonly #flight: Flight<T>;
  #hasEnded = false;

  constructor(flight: Flight<T>) {
    this.#flight = flight;
  }

  /** All that wait get the value. */
  share(value: T): void {
    this.#release({ value });
  }

  /** All that wait go alone. */
  disband(): void {
    this.#release('alone');
  }

  /** One that waits leads on. */
  fail(): void {
    if (this.#hasEnded) return;
    const [next] = this.#flight.waiting;
    if (next === undefined || ++this.#flight.failures > failuresMax) {
      this.disband();
      return;
    }
    this.#hasEnded = true;
    next.end(new Leader(this.#flight));
  }

  #release(result: Waited<T>): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#flight.over();
    for (const waiter of this.#flight.waiting) waiter.end(result);
  }
}

export class Waiter<T> {
  readonly #flight: Flight<T>;
  readonly #result = Promise.withResolvers<Waited<T>>();
  #ended: Waited<T> | undefined;

  constructor(flight: Flight<T>) {
    this.#flight = flight;
    flight.waiting.add(this);
  }

  /** Never rejects. If it is a leader, that must end. */
  get result(): Promise<Waited<T>> {
    return this.#result.promise;
  }

  end(result: Waited<T>): void {
    this.#flight.waiting.delete(this);
    this.#ended ??= result;
    this.#result.resolve(this.#ended);
  }

  /** The request is over, or waits no longer. */
  leave(): void {
    // It may have been made the leader in this very tick.
    if (this.#ended instanceof Leader) this.#ended.fail();
    this.end('alone');
  }
}
