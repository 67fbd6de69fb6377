// Metrics of the ledger: budgets, money acquired from them, and usage events on their way to the control plane.
import { nanoPerUsd } from '../../common/money.ts';
import { estimateReasons } from '../../proto/words/money.ts';
import type { BudgetTotals, LeaseMetrics } from '../budgets/leased-budgets.ts';
import type { AdoptionMetrics } from '../journal/adoption.ts';
import type { JournalMetrics } from '../journal/journals.ts';
import type { BudgetMetrics } from '../ledger/request-ledger.ts';
import { skipReasons, type UsageGauges, type UsageMetrics } from '../usage/usage-log.ts';
import type { HistogramOptions, TalliedHistogram } from './histogram.ts';
import { inDollars, replacedBy, type Tally } from './tally.ts';

/** Values that are read at each scrape. */
export interface LedgerGauges {
  budgets(): BudgetTotals;
  readonly usage: UsageGauges;
  readonly catalog: CatalogGauges;
}

export interface CatalogGauges {
  ageSeconds(): number;
  isRejected(): boolean;
}

export interface LedgerMetrics {
  readonly budgets: BudgetMetrics;
  readonly slices: LeaseMetrics;
  readonly usage: UsageMetrics;
  readonly journals: JournalMetrics & AdoptionMetrics;
}

export function ledgerMetrics(tally: Tally, histogram: (options: HistogramOptions) => TalliedHistogram): LedgerMetrics {
  const usage = usageMetrics(tally);
  return {
    budgets: budgetMetrics(tally),
    slices: leaseMetrics(tally, histogram),
    usage,
    journals: journalMetrics(tally, usage.lost),
  };
}

function journalMetrics(tally: Tally, lost: UsageMetrics['lost']): LedgerMetrics['journals'] {
  const failures = tally({
    name: 'gateway_journal_failures_total',
    help: 'Failures to begin or write the journal; a session without one may leave money unconfirmed',
    labelNames: [],
  })();
  const adopted = tally({
    name: 'gateway_usage_adopted_total',
    help: 'Usage events of killed proxies that were reported from their journals: settled ones, and requests in flight',
    labelNames: ['kind'],
  });
  const [settled, killed] = [adopted('settled'), adopted('killed')];
  return {
    journalFailed: () => void failures.pending++,
    adopted: (settledCount, killedCount) => {
      settled.pending += settledCount;
      killed.pending += killedCount;
    },
    lost,
  };
}

function budgetMetrics(tally: Tally): BudgetMetrics {
  const refusals = tally({
    name: 'gateway_budget_refusals_total',
    help: 'Requests that a budget refused, by its level and reason',
    labelNames: ['level', 'reason'],
  });
  const unpriced = tally({
    name: 'gateway_unpriced_requests_total',
    help: 'Requests of which the model, or a part, has no price: it costs nothing, or what the nearest priced part costs',
    labelNames: [],
  })();
  const estimated = tally({
    name: 'gateway_estimated_requests_total',
    help: 'Requests whose provider did not report all that they used, by the reason; their cost is estimated',
    labelNames: ['reason'],
  });
  for (const reason of estimateReasons.words) estimated(reason);
  return {
    refused: (level, reason) => void refusals(level, reason).pending++,
    unpriced: () => void unpriced.pending++,
    estimated: (reason) => void estimated(reason).pending++,
  };
}

function leaseMetrics(tally: Tally, histogram: (options: HistogramOptions) => TalliedHistogram): LeaseMetrics {
  const acquisitions = tally({
    name: 'gateway_budget_draws_total',
    help: 'Acquisitions of leases, by the control plane’s outcome',
    labelNames: ['outcome'],
  });
  const acquired = tally({
    name: 'gateway_budget_drawn_nano_usd_total',
    inUsd: 'gateway_budget_acquired_usd_total',
    help: 'Nano-dollars of budgets acquired into leases',
    labelNames: [],
  })();
  const returned = tally({
    name: 'gateway_budget_returned_nano_usd_total',
    inUsd: 'gateway_budget_released_usd_total',
    help: 'Nano-dollars of budgets released from leases',
    labelNames: [],
  })();
  const lost = tally({
    name: 'gateway_budget_escrow_lost_nano_usd_total',
    inUsd: 'gateway_budget_pending_charges_lost_usd_total',
    help: 'Pending charges, in nano-dollars, of usage that was lost on its way to the control plane; they become unconfirmed',
    labelNames: [],
  })();
  const waits = histogram(waitOptions).row();
  return {
    acquired: (outcome, granted) => {
      acquisitions(outcome).pending++;
      acquired.pending += granted;
    },
    returned: (amount) => {
      returned.pending += amount;
    },
    escrowLost: (amount) => {
      lost.pending += amount;
    },
    waited: (ms) => waits.observe(ms / 1000),
  };
}

const waitOptions: HistogramOptions = {
  name: 'gateway_budget_wait_seconds',
  help: 'How long requests waited for a lease; those that memory could serve are not among them',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  labelNames: [],
};

function usageMetrics(tally: Tally): UsageMetrics {
  const events = tally({
    name: 'gateway_usage_events_total',
    help: 'Usage events, by outcome: reported, overflowed to Redis, drained from there, lost',
    labelNames: ['outcome'],
  });
  const skipped = tally({
    name: 'gateway_usage_skipped_total',
    help: 'Usage in Redis that was skipped and stays there, by reason',
    labelNames: ['reason'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  for (const reason of skipReasons) skipped(reason);
  const counted = (outcome: string) => {
    const row = events(outcome);
    return (count: number) => {
      row.pending += count;
    };
  };
  return {
    reported: counted('reported'),
    overflowed: counted('overflowed'),
    drained: counted('drained'),
    lost: counted('lost'),
    skipped: (reason) => void skipped(reason).pending++,
  };
}

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  read(): number;
}

export function ledgerGauges({ budgets, usage, catalog }: LedgerGauges): readonly GaugeRow[] {
  return [
    {
      name: 'gateway_catalog_age_seconds',
      help: 'Age of the catalog of models and prices in force, since its day',
      read: () => catalog.ageSeconds(),
    },
    {
      name: 'gateway_catalog_rejected',
      help: 'Whether the configured catalog file is invalid, 0 or 1: the last good one is in force',
      read: () => (catalog.isRejected() ? 1 : 0),
    },
    {
      name: 'gateway_budget_slices',
      help: 'Leases of budgets that this proxy has',
      read: () => budgets().leases,
    },
    ...moneyRows({
      ...{ name: 'gateway_budget_available_nano_usd', inUsd: 'gateway_budget_available_usd' },
      help: 'Nano-dollars in leases without a reservation',
      read: () => budgets().available,
    }),
    ...moneyRows({
      ...{ name: 'gateway_budget_shut_nano_usd', inUsd: 'gateway_budget_shut_usd' },
      help: 'Shut part of leases in nano-dollars: requests use it only after the control plane knows, so it is free at once if this proxy is killed',
      read: () => budgets().shut,
    }),
    ...moneyRows({
      ...{ name: 'gateway_budget_held_nano_usd', inUsd: 'gateway_budget_reserved_usd' },
      help: 'Nano-dollars in leases that requests have reserved',
      read: () => budgets().reservations,
    }),
    {
      name: 'gateway_usage_queued_events',
      help: 'Usage events in memory that are not acknowledged yet',
      read: () => usage.events,
    },
    {
      name: 'gateway_usage_queued_bytes',
      help: 'Memory used by queued usage events, in bytes; at 64 MiB requests are refused',
      read: () => usage.bytes,
    },
    {
      name: 'gateway_usage_oldest_seconds',
      help: 'How long the oldest queued usage event has waited',
      read: () => usage.oldestMs / 1000,
    },
    {
      name: 'gateway_usage_kept_seconds',
      help: 'For how long acknowledged usage is kept, to be reported again if the database loses it; at most 300, less at 64 MiB',
      read: () => usage.keptMs / 1000,
    },
  ];
}

/** The gauge in dollars, and in nano-dollars until the next release. */
function moneyRows({ name, inUsd, help, read }: GaugeRow & { readonly inUsd: string }): readonly GaugeRow[] {
  return [
    { name: inUsd, help: inDollars(help), read: () => read() / nanoPerUsd },
    { name, help: replacedBy(help, inUsd), read },
  ];
}
