// The documents that bills come in: whose they are, what they say, and when what they say of a day is final. docs/reconcile.md
// names the vendors' pages that this was taken from.
import { dayMs } from '../../common/budget-window.ts';
import type { BillDocument, BillVendor } from '../store/reconciliation-tables.ts';

export interface DocumentRules {
  readonly vendor: BillVendor;
  /** A vendor's usage and cost are two documents, or one that says both. */
  readonly tells: { readonly tokens: boolean; readonly cost: boolean };
  /** After the end of a day, until then the vendor may add to it. */
  readonly finalAfterMs: number;
}

const hourMs = 3_600_000;
const [tokens, cost] = [
  { tokens: true, cost: false },
  { tokens: false, cost: true },
] as const;
const both = { tokens: true, cost: true } as const;

export const documents = {
  openai_usage: { vendor: 'openai', tells: tokens, finalAfterMs: 24 * hourMs },
  openai_costs: { vendor: 'openai', tells: cost, finalAfterMs: 24 * hourMs },
  anthropic_usage: { vendor: 'anthropic', tells: tokens, finalAfterMs: 24 * hourMs },
  anthropic_costs: { vendor: 'anthropic', tells: cost, finalAfterMs: 24 * hourMs },
  aws_cost_and_usage: { vendor: 'aws', tells: both, finalAfterMs: 72 * hourMs },
  azure_costs: { vendor: 'azure', tells: both, finalAfterMs: 72 * hourMs },
  google_billing: { vendor: 'google', tells: both, finalAfterMs: 72 * hourMs },
  other: { vendor: 'other', tells: both, finalAfterMs: 24 * hourMs },
} as const satisfies Record<BillDocument, DocumentRules>;

/** The shipped provider whose models a vendor bills. */
export const providersOfVendors = {
  openai: 'gpt-provider',
  anthropic: 'assistant-provider',
  aws: 'managed-cloud-models',
  azure: 'studio-ai',
  google: 'search-provider',
  other: undefined,
} as const satisfies Record<BillVendor, string | undefined>;

/** Milliseconds since 1970. @param day "2026-11-20" */
export function finalAt(document: BillDocument, day: string): number {
  return Date.parse(day) + dayMs + documents[document].finalAfterMs;
}
