// The injector's metrics (the only use of prom-client in this program). Label values come from a fixed table.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type CertificateEnds, certificateGauge, createCertificateEnds } from '../../common/certificate-ends.ts';
import { lossCounters } from '../../common/shared-metrics.ts';
import { version } from '../../common/version.ts';
import { outcomes } from '../inject.ts';

/** `unreadable`: the request was no review. */
export const reviewOutcomes = [...outcomes, 'unreadable'] as const;
export type ReviewOutcome = (typeof reviewOutcomes)[number];

export interface ReviewMetrics {
  reviewed(outcome: ReviewOutcome, seconds: number): void;
}

export interface InjectorMetrics extends ReviewMetrics {
  /** Code that opens a certificate registers it here. */
  readonly certificates: CertificateEnds;
  /** The Prometheus text. */
  collect(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export function createMetrics(): InjectorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; its label is the version.',
    labelNames: ['version'] as const,
    registers,
  }).set({ version }, 1);
  const certificates = createCertificateEnds();
  new Gauge(certificateGauge(certificates.read, registers));
  for (const options of lossCounters(registers)) new Counter(options);
  const reviews = new Counter({
    name: 'gateway_injector_reviews_total',
    help: 'Pods reviewed for the API server, by outcome: injected, already_injected, opted_out, not_injected, refused, unreadable.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'gateway_injector_review_duration_seconds',
    help: 'Time from the first byte of a review to its response; creating a pod waits for it.',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
    registers,
  });
  for (const outcome of reviewOutcomes) reviews.labels(outcome).inc(0);
  return {
    certificates,
    reviewed: (outcome, duration) => {
      reviews.labels(outcome).inc();
      seconds.observe(duration);
    },
    collect: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
