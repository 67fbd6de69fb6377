// Values that are read at each scrape.
import { Gauge, type Registry } from 'prom-client';
import type { OutCounts } from '../routing/health.ts';
import { type LedgerGauges, ledgerGauges } from './ledger-metrics.ts';
import { targetsOutGauge } from './routing-metrics.ts';

export interface AdmissionGauges {
  readonly inFlight: number;
  readonly bufferedBytes: number;
  readonly limits: { readonly inFlightMax: number; readonly bufferedBytesMax: number };
}

/** Stops in force, by who has made them. */
export interface StopCounts {
  readonly platform: number;
  readonly organization: number;
}

export interface Gauges extends LedgerGauges {
  readonly admission: AdmissionGauges;
  readonly readOn: { readonly open: number };
  readonly backgroundResponses: { readonly open: number };
  readonly health: { readonly out: OutCounts };
  readonly loads: { readonly full: number };
  /** Absent if Redis is not configured. */
  readonly redis?: { state(): 'ok' | 'failing' | undefined } | undefined;
  /** Undefined until the feed has responded for the first time. */
  feedAgeMs(): number | undefined;
  stops(): StopCounts;
}

type MakeGauge = (name: string, help: string, read: () => number) => void;

function gaugeMaker(registry: Registry): MakeGauge {
  return (name, help, read) =>
    void new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
}

/** Sets the values that are read at each scrape. */
export function observeGauges(registry: Registry, gauges: Gauges): void {
  const gauge = gaugeMaker(registry);
  observeAdmission(registry, gauges.admission);
  targetsOutGauge(() => ({ ...gauges.health.out, full: gauges.loads.full }), [registry]);
  gauge('gateway_read_on_requests', 'Responses that are being read on for their usage', () => gauges.readOn.open);
  gauge(
    'gateway_background_responses',
    'Responses that vendors generate in the background, with their reservations',
    () => gauges.backgroundResponses.open,
  );
  for (const { name, help, read } of ledgerGauges(gauges)) gauge(name, help, read);
  observeStops(registry, () => gauges.stops());
  const { redis } = gauges;
  if (redis !== undefined)
    gauge(
      'gateway_redis_up',
      'Whether Redis responds, 0 or 1; NaN before the first attempt, absent without a Redis',
      () => upOf(redis.state()),
    );
  gauge(
    'gateway_feed_age_seconds',
    'Time since the change feed last confirmed the records; NaN before it ever did',
    () => {
      const age = gauges.feedAgeMs();
      return age === undefined ? Number.NaN : age / 1000;
    },
  );
}

function observeStops(registry: Registry, read: () => StopCounts): void {
  new Gauge({
    name: 'gateway_stops',
    help: 'Stops in force in the records that this proxy has in memory, by who has made them',
    labelNames: ['by'],
    registers: [registry],
    collect() {
      for (const [by, count] of Object.entries(read())) this.set({ by }, count);
    },
  });
}

function upOf(state: 'ok' | 'failing' | undefined): number {
  if (state === undefined) return Number.NaN;
  return state === 'ok' ? 1 : 0;
}

export function observeAdmission(registry: Registry, admission: AdmissionGauges): void {
  const gauge = gaugeMaker(registry);
  gauge('gateway_in_flight_requests', 'Admitted requests that are not finished', () => admission.inFlight);
  gauge(
    'gateway_in_flight_limit',
    'Limit of admitted requests in flight; more are refused',
    () => admission.limits.inFlightMax,
  );
  gauge('gateway_buffered_bytes', 'Bytes of requests and responses in memory', () => admission.bufferedBytes);
  gauge(
    'gateway_buffered_bytes_limit',
    'Limit of bytes of requests and responses in memory; a request that would need more is refused',
    () => admission.limits.bufferedBytesMax,
  );
}
