// What each organization uses of this proxy, for operators of the platform: whose traffic, failures and cost these are.
// An organization is on a label by its id. Only operators of the platform create organizations, so no tenant can fill
// the table; beyond its size, all later organizations are one.
import { requestResultOf } from '../../proto/words/request-result.ts';
import type { RequestResult } from '../../proto/words/requests.ts';
import type { RequestRecord } from '../http/request-record.ts';
import { bounded } from './name-labels.ts';
import type { Count, Tally } from './tally.ts';

/** Of the first ones that a proxy serves; the series of all others are `other`. */
export const organizationsMax = 200;

export interface OrganizationMetrics {
  /** Counts a request with its use. */
  request(record: OrganizationRecord): void;
  /** Counts usage and cost that were known only after the request was counted. */
  used(record: OrganizationRecord): void;
}

/** Callers without an organization are not counted. */
export type OrganizationRecord = Pick<
  RequestRecord,
  'organizationId' | 'status' | 'errorSource' | 'route' | 'cache' | 'costNano' | 'usage'
>;

type OrganizationRow = Readonly<Record<RequestResult | 'inputTokens' | 'outputTokens' | 'cost', Count>>;

export function organizationMetrics(tally: Tally): OrganizationMetrics {
  const requests = tally({
    name: 'gateway_organization_requests_total',
    help: 'Requests of known callers, by organization and outcome: ok, refused (by a rule of the gateway, 400 to 499), failed (all other errors, and callers that left). other: organizations beyond the first 200 that this proxy has served',
    labelNames: ['organization_id', 'outcome'],
  });
  const tokens = tally({
    name: 'gateway_organization_tokens_total',
    help: 'Tokens that providers reported, by organization and kind',
    labelNames: ['organization_id', 'kind'],
  });
  const cost = tally({
    name: 'gateway_organization_cost_usd_total',
    help: 'Cost of settled requests in dollars, by organization',
    labelNames: ['organization_id'],
    unit: 'nano-dollars',
  });
  const label = bounded(organizationsMax);
  const rows = new Map<string, OrganizationRow>();
  const makeRow = (id: string): OrganizationRow => ({
    ...{ ok: requests(id, 'ok'), refused: requests(id, 'refused'), failed: requests(id, 'failed') },
    ...{ inputTokens: tokens(id, 'input'), outputTokens: tokens(id, 'output'), cost: cost(id) },
  });
  const rowOf = (organizationId: string): OrganizationRow => {
    const id = label(organizationId);
    const row = rows.get(id) ?? makeRow(id);
    rows.set(id, row);
    return row;
  };
  return {
    request: (record) => {
      const { organizationId } = record;
      if (organizationId === undefined) return;
      const row = rowOf(organizationId);
      row[requestResultOf(record)].pending++;
      // As for providers: a count of tokens calls no model, and a cached response has cost without tokens.
      if (record.route !== 'count') use(row, record, record.cache === 'hit' ? undefined : record.usage);
    },
    used: (record) => {
      if (record.organizationId !== undefined) use(rowOf(record.organizationId), record, record.usage);
    },
  };
}

function use(row: OrganizationRow, { costNano }: OrganizationRecord, usage: RequestRecord['usage']): void {
  row.cost.pending += costNano;
  if (usage === undefined) return;
  row.inputTokens.pending += usage.promptTokens;
  row.outputTokens.pending += usage.completionTokens;
}
