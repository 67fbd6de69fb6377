// Metrics of fair shares (proxy/shares.ts): what is taken of each resource, and how often somebody was refused, read at each scrape.
import type { ProxyShare, ReadShare, ShareMetrics } from '../shares.ts';

export interface Shares extends ShareMetrics {
  readonly read: () => Iterable<readonly [resource: ProxyShare, share: ReadShare]>;
}

export function createShares(): Shares {
  const shares = new Map<ProxyShare, ReadShare>();
  return {
    observe: (resource, share) => void shares.set(resource, share),
    read: () => shares,
  };
}

/** What prom-client takes for the gauge. */
export function shareGauge<Registry>({ read }: Shares, registers: Registry[]) {
  return {
    name: 'gateway_share_used',
    help: 'How much of a shared resource is taken, 0 to 1 of its capacity',
    labelNames: ['resource'],
    registers,
    collect(this: { set(labels: { readonly resource: string }, value: number): void }) {
      for (const [resource, { used, capacity }] of read()) this.set({ resource }, used / capacity);
    },
  };
}

/** What prom-client takes for the counter. */
export function shareCounter<Registry>({ read }: Shares, registers: Registry[]) {
  return {
    name: 'gateway_share_refused_total',
    help: 'How often somebody was refused a part of a shared resource, because all of it or the own share was taken',
    labelNames: ['resource'],
    registers,
    collect(this: { reset(): void; inc(labels: { readonly resource: string }, count: number): void }) {
      this.reset();
      for (const [resource, { refused }] of read()) this.inc({ resource }, refused);
    },
  };
}
