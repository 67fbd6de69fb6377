// Metrics of guardrails.
import type { GuardrailMetrics } from '../guardrails/decisions.ts';
import type { ServiceMetrics } from '../guardrails/services/service-guard.ts';
import type { HistogramOptions, TalliedHistogram } from './histogram.ts';
import { bounded } from './name-labels.ts';
import type { Tally } from './tally.ts';

/** Organizations choose the names of their guardrails freely, so the number of labels is limited. */
const guardrailsMax = 500;

export function guardrailMetrics(
  tally: Tally,
  histogram: (options: HistogramOptions) => TalliedHistogram,
): GuardrailMetrics & ServiceMetrics {
  const decisions = tally({
    name: 'gateway_guardrail_decisions_total',
    help: 'Decisions of guardrails, by name and kind; failed_…: the check failed, and its rule decided; unavailable: the gateway lacked time or room to inspect, and the request ended',
    labelNames: ['guardrail', 'kind', 'stage', 'decision'],
  });
  const questions = tally({
    name: 'gateway_guardrail_questions_total',
    help: 'Calls of guardrails to services, by kind and outcome: answered, or the reason why there is no result',
    labelNames: ['kind', 'outcome'],
  });
  const seconds = histogram(secondsOptions);
  const rows = { input: seconds.row('input'), output: seconds.row('output') };
  const label = bounded(guardrailsMax);
  return {
    decided: ({ name, check }, stage, decision) => void decisions(label(name), check.kind, stage, decision).pending++,
    serviceRequested: (kind, outcome) => void questions(kind, outcome).pending++,
    took: (stage, ms) => rows[stage].observe(ms / 1000),
  };
}

const secondsOptions: HistogramOptions = {
  name: 'gateway_guardrail_seconds',
  help: 'Time that guardrails took of one request, by stage: its input, or a response that is no stream; services included',
  buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  labelNames: ['stage'],
};
