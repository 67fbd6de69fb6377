// Overview.Get: what an organization spends, how far its budgets are, and what needs attention; for a member what
// concerns their own keys. Every part reads a bounded number of rows.
import { windowOf, windowStart } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import { usdOfNano } from '../../common/money.ts';
import type { GetOverviewRequest__Output } from '../../proto/generated/gateway/v1/GetOverviewRequest.ts';
import type { GetOverviewResponse } from '../../proto/generated/gateway/v1/GetOverviewResponse.ts';
import type { OverviewLatency } from '../../proto/generated/gateway/v1/OverviewLatency.ts';
import type { OverviewSums } from '../../proto/generated/gateway/v1/OverviewSums.ts';
import type { RequestFacts } from '../../proto/generated/gateway/v1/RequestFacts.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { readRequests } from '../requests/read.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { readTotals, type TotalsQuestion } from '../usage/totals.ts';
import { mostUsed } from './budgets.ts';
import type { ReadCall } from './method.ts';
import { attentionOf } from './overview-attention.ts';

const budgetsMax = 20;
const latencyRowsMax = 1_000;

export async function get(call: ReadCall, request: GetOverviewRequest__Output): Promise<GetOverviewResponse> {
  const { organizationId } = request;
  const { today, month } = await sumsOf(call, organizationId);
  const latency = await latencyOf(call, organizationId);
  const budgets = await mostUsed(call, organizationId, budgetsMax);
  return {
    today,
    month,
    ...(latency !== undefined && { latency }),
    budgets: budgets.map(({ window }) => window),
    attention: await attentionOf(call, organizationId, budgets),
  };
}

function ownPerson({ caller }: ReadCall): string | undefined {
  return caller.role === 'member' ? caller.personId : undefined;
}

async function sumsOf(call: ReadCall, organizationId: string) {
  const today = call.now - (call.now % dayMs);
  const end = today + dayMs;
  const month = windowStart(windowOf('month', call.now)) ?? today;
  return {
    today: await sumBetween(call, { organizationId, from: today, to: end }),
    month: await sumBetween(call, { organizationId, from: month, to: end }),
  };
}

async function sumBetween(
  call: ReadCall,
  range: Pick<TotalsQuestion, 'organizationId' | 'from' | 'to'>,
): Promise<OverviewSums> {
  const person = ownPerson(call);
  const only = person === undefined ? {} : { person: [person] };
  const none = { groupBy: [], groupByMetadata: [], metadata: {} };
  const all = { models: undefined, orderBy: undefined, after: undefined, limit: 1 };
  const [sum] = await readTotals(call.db, { ...range, ...none, ...all, only });
  if (sum === undefined) throw new Error('sums without groups are one row');
  return {
    requests: sum.requests,
    failedRequests: sum.failed_requests,
    unpricedRequests: sum.unpriced_requests,
    costUsd: usdOfNano(BigInt(sum.cost)),
  };
}

const factsOf = jsonColumn('requests', 'facts', aMessage<RequestFacts>('RequestFacts'));

async function latencyOf(call: ReadCall, organizationId: string): Promise<OverviewLatency | undefined> {
  const range = { organizationId, from: call.now - (call.now % dayMs), to: call.now + 1, personId: ownPerson(call) };
  const { rows } = await readRequests(call.db, range, { after: undefined, size: latencyRowsMax });
  const durations = rows
    .slice(0, latencyRowsMax)
    .map((row) => factsOf(row))
    .filter(({ attempts = 0 }) => attempts > 0)
    .map(({ durationMs = 0 }) => durationMs)
    .toSorted((a, b) => a - b);
  if (durations.length === 0) return undefined;
  const at = (part: number) => durations[Math.ceil(durations.length * part) - 1] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95), requests: durations.length };
}
