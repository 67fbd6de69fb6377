// Compares what callers got, what the vendors did and what the ledger has: no usage is lost or counted twice, no
// truncated text looks complete, no text is put together from two. It has no side effects, so faults can be planted.
import { costOf, type RecordedRequest } from '../support/recorded.ts';
import type { Reading } from './clients.ts';
import { type CallPlan, faultOfText } from './plan.ts';
import { costOfTokens } from './prices.ts';
import type { VendorRequest } from './vendor.ts';

export interface NamedCall {
  readonly name: string;
  readonly plan: CallPlan;
  readonly reading: Reading;
}

export interface Accounts {
  readonly calls: readonly NamedCall[];
  /** By vendor and by name. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, readonly VendorRequest[]>>>>;
  readonly rows: readonly RecordedRequest[];
  /** Nano-dollars of the only budget, at rest. */
  readonly ledger: { readonly spent: number; readonly leased: number; readonly unconfirmed: number };
}

export function faultsOfAccounts({ calls, requests, rows, ledger }: Accounts): readonly string[] {
  const rowsByName = Map.groupBy(rows, ({ requestId }) => requestId);
  const faults = calls.flatMap((call) => {
    const vendors = Object.entries(requests).flatMap(([vendor, of]) =>
      (of[call.name] ?? []).map((request) => ({ ...request, vendor })),
    );
    const found = [...faultsOfReading(call), ...faultsOfRows(call, rowsByName.get(call.name) ?? [], vendors)];
    return found.map((fault) => `${call.name} (${call.reading.outcome}) ${fault}`);
  });
  const names = new Set(calls.map(({ name }) => name));
  for (const name of rowsByName.keys()) if (!names.has(name)) faults.push(`${name} is recorded, but nobody called`);
  const cost = rows.reduce((sum, row) => sum + costOf(row), 0);
  if (ledger.spent !== cost) faults.push(`the budget has spent ${ledger.spent}, but recorded usage costs ${cost}`);
  if (ledger.leased !== 0) faults.push(`${ledger.leased} are still leased`);
  if (ledger.unconfirmed !== 0) faults.push(`${ledger.unconfirmed} are unconfirmed`);
  return faults;
}

export function faultsOfReading({ plan, reading }: Pick<NamedCall, 'plan' | 'reading'>): readonly string[] {
  const { outcome, text, isWhole, provider } = reading;
  const faults: string[] = [];
  if (outcome === '200 without an end') faults.push('ended in order, without the end of its format');
  if (outcome.endsWith('internal_error')) faults.push('met a defect');
  if (text === '' && !isWhole) return faults;
  if (provider === undefined) return [...faults, 'has a response without the name of its provider'];
  const fault = faultOfText(text, plan, { vendor: provider, isWhole });
  return fault === undefined ? faults : [...faults, fault];
}

type AtVendor = VendorRequest & { readonly vendor: string };

function faultsOfRows(
  { plan, reading }: NamedCall,
  rows: readonly RecordedRequest[],
  requests: readonly AtVendor[],
): readonly string[] {
  const faults: string[] = [];
  const finished = requests.filter(({ status, ended }) => status === 200 && ended === 'finished');
  const exact = rows.filter(({ status, estimated }) => status === 200 && !estimated);
  if (exact.length > 1) faults.push(`is recorded ${exact.length} times`);
  if (rows.length > Math.max(1, requests.length))
    faults.push(`has ${rows.length} rows for ${requests.length} requests`);
  if (reading.isWhole && finished.length === 0) faults.push('got a response that no vendor sent');
  if (reading.isWhole && exact.length === 0) faults.push('is not recorded');
  for (const row of exact) {
    const cost = costOf(row);
    if (finished.length === 0) faults.push('is recorded as complete, but no vendor completed it');
    if (cost !== costOfTokens(plan)) faults.push(`costs ${cost}, but the vendor reported ${costOfTokens(plan)}`);
    if (reading.isWhole && row.provider !== reading.provider)
      faults.push(`is recorded for ${row.provider}, but ${reading.provider} responded`);
  }
  return faults;
}
