// How many wrong keys an address may have looked up: refusals that needed a look-up count, within fixed windows of a minute.
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock.ts';
import type { AccessLimits } from './limits.ts';

const windowMs = 60_000;

interface Window {
  readonly endsAt: number;
  count: number;
}

export class Refusals {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #windows: LRUCache<string, Window>;

  constructor(clock: Clock, limits: AccessLimits) {
    this.#clock = clock;
    this.#perMinute = limits.refusalsPerMinute;
    this.#windows = new LRUCache({ max: limits.refusalAddressesMax });
  }

  count(address: string): void {
    const group = addressGroup(address);
    const window = this.#current(group);
    if (window === undefined)
      this.#windows.set(group, { endsAt: this.#clock.monotonic() + windowMs, count: 1 });
    else window.count += 1;
  }

  /** Seconds until the address may be looked up for again; undefined: it may. */
  retryAfter(address: string): number | undefined {
    const window = this.#current(addressGroup(address));
    if (window === undefined || window.count < this.#perMinute) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - this.#clock.monotonic()) / 1000));
  }

  #current(group: string): Window | undefined {
    const window = this.#windows.get(group);
    return window !== undefined && this.#clock.monotonic() < window.endsAt ? window : undefined;
  }
}

// Whoever holds one IPv6 address holds the /64 around it.
function addressGroup(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
