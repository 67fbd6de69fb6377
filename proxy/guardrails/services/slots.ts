// A limited number of slots. Callers without a slot wait in order of arrival; their number is limited too.

export interface SlotsOptions {
  readonly max: number;
  readonly waitingMax: number;
}

export class TooManyWaitingError extends Error {
  constructor() {
    super('too many calls wait for a slot');
    this.name = 'TooManyWaitingError';
  }
}

export class WorkerSlots {
  readonly #options: SlotsOptions;
  #taken = 0;
  /** In order of arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** @returns releases the slot when disposed. @throws TooManyWaitingError; the signal's reason */
  async take(signal: AbortSignal): Promise<Disposable> {
    if (this.#taken < this.#options.max) this.#taken++;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#release() };
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#options.waitingMax) throw new TooManyWaitingError();
    return new Promise((resolve, reject) => {
      const given = () => {
        signal.removeEventListener('abort', left);
        resolve();
      };
      const left = () => {
        this.#waiting.delete(given);
        reject(signal.reason);
      };
      this.#waiting.add(given);
      signal.addEventListener('abort', left, { once: true });
    });
  }

  /** A slot passes directly to the next waiting caller and is never free in between. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
