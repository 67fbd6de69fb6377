// Metrics that several programs have, as options for each program's prom-client: shares, which are read at each scrape,
// and losses.
import { acceptFailuresCounter } from './listen.ts';
import { lostLinesCounter } from './logger.ts';

export interface ShareUse {
  /** The used part of the share of one owner, or of all together: 0 to 1. */
  readonly used: number;
  /** Refusals since the start. */
  readonly refused: number;
}

type ReadShares = () => Iterable<readonly [resource: string, use: ShareUse]>;

export function shareUsedGauge<Registry>(read: ReadShares, registers: Registry[]) {
  return {
    name: 'gateway_share_used',
    help: 'Used part of a shared resource, 0 to 1, by resource; if each owner has a share of its own, of the owner that uses most',
    labelNames: ['resource'],
    registers,
    collect(this: { reset(): void; set(labels: { readonly resource: string }, value: number): void }) {
      this.reset();
      for (const [resource, { used }] of read()) this.set({ resource }, Math.min(1, Math.max(0, used)));
    },
  };
}

export function shareRefusedCounter<Registry>(read: ReadShares, registers: Registry[]) {
  return {
    name: 'gateway_share_refused_total',
    help: 'Refusals because an organization, or an unknown caller’s address, had used its share of a resource, by resource',
    labelNames: ['resource'],
    registers,
    collect(this: { reset(): void; inc(labels: { readonly resource: string }, count: number): void }) {
      this.reset();
      for (const [resource, { refused }] of read()) this.inc({ resource }, refused);
    },
  };
}

/** Counters of losses that every program accepts instead of failing: log lines and connections. */
export function lossCounters<Registry>(registers: Registry[]) {
  return [lostLinesCounter(registers), acceptFailuresCounter(registers)];
}
