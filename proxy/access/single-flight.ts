// One piece of work per key at a time: who asks for what is already under way waits for that.
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>();

  run(key: string, start: () => Promise<T>): Promise<T> {
    const flying = this.#flights.get(key);
    if (flying !== undefined) return flying;
    const flight = start().finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }
}
