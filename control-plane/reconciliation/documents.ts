// The documents of bills: their vendor, whether they report tokens and cost, and when a day in them is final.
// docs/reconcile.md names the vendors' pages that these rules come from.
import { dayMs } from '../../common/durations.ts';
import { type VendorName, vendorNames, vendors } from '../../common/vendors.ts';
import { type BillDocument, type BillVendor, billVendors } from '../../proto/words/money.ts';

export interface DocumentRules {
  readonly vendor: BillVendor;
  /** A vendor reports usage and cost in two documents, or both in one. */
  readonly reports: { readonly tokens: boolean; readonly cost: boolean };
  /** After the end of a day. Until then the vendor may add to the day. */
  readonly finalAfterMs: number;
}

const [tokens, cost] = [
  { tokens: true, cost: false },
  { tokens: false, cost: true },
] as const;
const both = { tokens: true, cost: true } as const;

const billsOf = Object.fromEntries(vendorNames.map((name) => [name, vendors[name].bills])) as {
  readonly [Name in VendorName]: (typeof vendors)[Name]['bills'];
} satisfies Record<VendorName, Exclude<BillVendor, 'other'> | undefined>;

export const documents = {
  openai_usage: { vendor: 'openai', reports: tokens, finalAfterMs: dayMs },
  openai_costs: { vendor: 'openai', reports: cost, finalAfterMs: dayMs },
  anthropic_usage: { vendor: 'anthropic', reports: tokens, finalAfterMs: dayMs },
  anthropic_costs: { vendor: 'anthropic', reports: cost, finalAfterMs: dayMs },
  aws_cost_and_usage: { vendor: 'aws', reports: both, finalAfterMs: 3 * dayMs },
  azure_costs: { vendor: 'azure', reports: both, finalAfterMs: 3 * dayMs },
  google_billing: { vendor: 'google', reports: both, finalAfterMs: 3 * dayMs },
  other: { vendor: 'other', reports: both, finalAfterMs: dayMs },
} as const satisfies Record<BillDocument, DocumentRules>;

/** The shipped provider whose models a vendor bills; `other` bills none. */
export const providersOfVendors = Object.fromEntries(
  billVendors.words.map((vendor) => [vendor, vendorNames.find((name) => billsOf[name] === vendor)]),
) as Readonly<Record<BillVendor, VendorName | undefined>>;

/** In milliseconds since 1970. @param day such as "2026-11-20" */
export function finalAt(document: BillDocument, day: string): number {
  return Date.parse(day) + dayMs + documents[document].finalAfterMs;
}
