// Usage as operators see it: every exported request, and the ledger entries of every window. Amounts are nano-dollars.
import { nanoOfUsd } from '../../common/money.ts';
import type { RunningControlPlane, TestOrganization } from './gateway.ts';
import { until } from './process.ts';
import type { LedgerState, SumOfWindow } from './spending.ts';

/** A row of `Usage/Export`; absent fields are undefined. */
export interface RecordedRequest {
  readonly at: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly aiSystemId?: string;
  readonly personId?: string;
  readonly projectKeyId?: string;
  readonly projectAiSystemId?: string;
  readonly projectPersonId?: string;
  readonly provider: string;
  readonly modelAsked: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: string;
  readonly unpriced: boolean;
  readonly estimated: boolean;
  readonly estimateReason?: string;
  readonly status: number;
  readonly errorSource: string;
  readonly errorCode: string;
  readonly latencyMs: number;
  readonly streamed: boolean;
  readonly directKey: boolean;
  readonly providerKeyId?: string;
  readonly serviceTier?: string;
  readonly audioPromptTokens?: number;
  /** "request", "guardrail", "shadow" or "adjustment". */
  readonly kind?: string;
  readonly guardrailId?: string;
  /** Of its key, with the tags of the request. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Recording {
  readonly controlPlane: Pick<RunningControlPlane, 'httpPort'>;
  readonly organization: TestOrganization;
}

/** All requests of the organization from this month and the next. */
export async function recordedRequests({ controlPlane, organization }: Recording): Promise<readonly RecordedRequest[]> {
  const url = `http://127.0.0.1:${controlPlane.httpPort}/gateway.v1.Usage/Export`;
  const month = 31 * 86_400_000;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${organization.ownerToken}` },
    body: JSON.stringify({
      ...{ organizationId: organization.id, format: 'USAGE_FORMAT_JSON_LINES' },
      from: new Date(Date.now() - month).toISOString(),
      to: new Date(Date.now() + 2 * month).toISOString(),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the export failed: ${text}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedRequest);
}

/** The row of the request, as soon as it exists. */
export function recordedRequest(of: Recording, requestId: string): Promise<RecordedRequest> {
  return until(async () => (await recordedRequests(of)).find((row) => row.requestId === requestId), {
    what: `the usage of ${requestId}`,
  });
}

export function costOf({ costUsd }: RecordedRequest): number {
  return nanoOfUsd(costUsd) ?? Number.NaN;
}

export interface WindowState extends LedgerState {
  readonly limitId: string;
  readonly endsAt: string | undefined;
}

type BudgetResponse = Readonly<Record<'limitId' | 'window' | SumOfWindow, string>> & {
  readonly endsAt?: string;
};

/** The ledger entries of all windows, including past ones, of all budgets or of one. */
export async function wholeLedger({ api, id }: TestOrganization, limitId?: string): Promise<readonly WindowState[]> {
  const found: WindowState[] = [];
  let pageToken = '';
  do {
    const requested = { organizationId: id, includePast: true, pageSize: 500, pageToken };
    const { windows = [], nextPageToken = '' } = (await api.call('Budgets/ListWindows', {
      ...requested,
      ...(limitId !== undefined && { limitId }),
    })) as { windows?: readonly BudgetResponse[]; nextPageToken?: string };
    found.push(...windows.map(ledgerIn));
    pageToken = nextPageToken;
  } while (pageToken !== '');
  return found;
}

function ledgerIn({
  limitId,
  window,
  endsAt,
  amountUsd,
  spentUsd,
  leasedUsd,
  unsettledUsd: unconfirmedUsd,
}: BudgetResponse) {
  const nano = (usd: string) => nanoOfUsd(usd) ?? Number.NaN;
  return {
    ...{ limitId, window, endsAt },
    ...{ amount: nano(amountUsd), spent: nano(spentUsd) },
    ...{ leased: nano(leasedUsd), unconfirmed: nano(unconfirmedUsd) },
  };
}
