// Requests: rows of requests in lists, followed lists, and one with its explanation. Members see the requests of their own
// keys only, and not through which stored provider key they went.
import type { Kysely } from 'kysely';
import { canonicalModel } from '../../catalog/model-names.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import { usdOfNano } from '../../common/money.ts';
import { isTagName, tagNamesMax, tagValue } from '../../common/tags.ts';
import { canonicalVendorName } from '../../common/vendors.ts';
import type { GetRequestRequest__Output } from '../../proto/generated/gateway/v1/GetRequestRequest.ts';
import type { GetRequestResponse } from '../../proto/generated/gateway/v1/GetRequestResponse.ts';
import type { ListRequestsRequest__Output } from '../../proto/generated/gateway/v1/ListRequestsRequest.ts';
import type { ListRequestsResponse } from '../../proto/generated/gateway/v1/ListRequestsResponse.ts';
import type { RequestFacts } from '../../proto/generated/gateway/v1/RequestFacts.ts';
import type { RequestRow } from '../../proto/generated/gateway/v1/RequestRow.ts';
import type { RequestSource } from '../../proto/generated/gateway/v1/RequestSource.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { requestRemedies, requestResults } from '../../proto/words/requests.ts';
import { wordOf } from '../domain/enum-names.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { clientRequestId, id, time, timeText, visible, within } from '../domain/shared-fields.ts';
import { type FollowPosition, followed, followToken, newFollowPosition, readFollowToken } from '../requests/follow.ts';
import { type Names, type RowReferences, readRowNames } from '../requests/names.ts';
import { type RequestFilter, type RowPosition, readRequest, readRequests } from '../requests/read.ts';
import { tagsIn } from '../requests/tags-text.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageBy } from '../rpc/page.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { RequestsTable } from '../store/request-table.ts';
import type { Schema } from '../store/schema.ts';
import { mayOpenCaptures } from './capture-readers.ts';
import { isCaptured } from './captures.ts';
import { nanoOf } from './ledger-fields.ts';
import type { OutsideCall, ResponseCall } from './method.ts';
import { explain } from './request-explanation.ts';

const rangeMsDefault = hourMs;
const rangeMsMax = 400 * dayMs;
const waitSecondsMax = 25;
const pollMs = 1_000;
const textLengthMax = 512;

export async function list(call: OutsideCall, request: ListRequestsRequest__Output): Promise<ListRequestsResponse> {
  const first = await call.read((db, caller) => readPage({ db, caller, now: call.now }, request));
  if (first.requests.length > 0 || first.wait === 0) return first.response;
  const { followers } = call.deps;
  const end = followers.occupy(call.owner);
  if (end === undefined)
    throw new CallError('too_many_requests', 'too many calls of the organization wait for requests; try again', {
      retryAfter: 1,
    });
  try {
    let latest = first.response;
    const until = Date.now() + first.wait * 1_000;
    while (Date.now() < until && (await followers.pause(pollMs))) {
      const { response } = await call.read((db, caller) => readPage({ db, caller, now: Date.now() }, request));
      latest = response;
      if (response.requests.length > 0) break;
    }
    return latest;
  } finally {
    end();
  }
}

interface PageCall {
  readonly db: Kysely<Schema>;
  readonly caller: OperatorCaller;
  readonly now: number;
}

interface ReadPage {
  readonly response: ListRequestsResponse & { requests: RequestRow[] };
  readonly requests: readonly RequestRow[];
  /** Seconds for which the call waits if it has no rows. */
  readonly wait: number;
}

async function readPage(call: PageCall, request: ListRequestsRequest__Output): Promise<ReadPage> {
  const { size, after } = pageBy(request, readPosition);
  const { follow_token: follow, wait_seconds: wait } = checked({
    follow_token: optional(following(request), request.followToken),
    wait_seconds: optional(within(0, waitSecondsMax), request.waitSeconds),
  });
  const filter = filterOf(call, request);
  if (filter === undefined) return page([], { wait: 0 });
  if (follow !== undefined) {
    const { rows, position } = await followed(call.db, filter, { position: follow, now: call.now, size });
    return page(await messages(call, request.organizationId, rows), { position, wait: wait ?? 0 });
  }
  const { rows, next } = await readRequests(call.db, filter, { after, size });
  const position = after === undefined ? await newFollowPosition(call.db, filter, call.now) : undefined;
  return page(await messages(call, request.organizationId, rows), { next, position, wait: 0 });
}

interface PageEnd {
  readonly next?: RowPosition | undefined;
  readonly position?: FollowPosition | undefined;
  readonly wait: number;
}

function page(requests: RequestRow[], { next, position, wait }: PageEnd): ReadPage {
  const nextPageToken = next === undefined ? '' : Buffer.from(`${next.at} ${next.id}`).toString('base64url');
  const token = position === undefined ? '' : followToken(position);
  return { requests, wait, response: { requests, nextPageToken, followToken: token } };
}

function readPosition(key: string): RowPosition | undefined {
  const [, at, rowId] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(key) ?? [];
  return at === undefined || rowId === undefined ? undefined : { at: Number(at), id: rowId };
}

function following({ from, to, pageToken }: ListRequestsRequest__Output) {
  return (token: string): Field<FollowPosition> => {
    if (from !== undefined || to !== undefined || pageToken) return invalid('excludes from, to and page_token');
    const position = readFollowToken(token);
    return position === undefined ? invalid('must be the follow_token of the response before') : valid(position);
  };
}

/** Undefined: the caller may see none of these requests. */
function filterOf({ caller, now }: PageCall, request: ListRequestsRequest__Output): RequestFilter | undefined {
  const given = checked({ from: optional(time, request.from), to: optional(time, request.to) });
  const to = given.to ?? now + 1;
  const from = given.from ?? to - rangeMsDefault;
  const fields = checked({
    to: rangeOf(from, to),
    result: optional(wordOf(requestResults), specified(request.result)),
    key_id: optional(id, request.keyId),
    ai_system_id: optional(id, request.aiSystemId),
    person_id: optional(id, request.personId),
    decided_by: optional(id, request.decidedBy),
    model: optional(filterText, request.model),
    provider: optional(filterText, request.provider),
    error_code: optional(filterText, request.errorCode),
    route: optional(filterText, request.route),
    tags: wantedTags(request.tags),
  });
  const { model, provider, error_code: errorCode, route } = fields;
  // For a member, another person's requests look the same as none.
  const own = caller.role === 'member' ? caller.personId : undefined;
  if (own !== undefined && (fields.person_id ?? own) !== own) return undefined;
  return {
    ...{ organizationId: request.organizationId, from, to, errorCode, route },
    keyId: fields.key_id,
    aiSystemId: fields.ai_system_id,
    personId: own ?? fields.person_id,
    result: fields.result,
    model: model === undefined ? undefined : canonicalModel(model),
    provider: provider === undefined ? undefined : (canonicalVendorName(provider) ?? provider),
    decidedBy: fields.decided_by,
    tags: fields.tags,
  };
}

function wantedTags(tags: Readonly<Record<string, string>>): Field<Readonly<Record<string, string>>> {
  const entries = Object.entries(tags);
  if (entries.length > tagNamesMax) return invalid(`has at most ${tagNamesMax} names`);
  if (!entries.every(([name, value]) => isTagName(name) && tagValue(value) !== undefined))
    return invalid('must be tags, such as feature=search');
  return valid(Object.fromEntries(entries.map(([name, value]) => [name, tagValue(value) ?? ''])));
}

function filterText(text: string): Field<string> {
  return visible(text, textLengthMax);
}

function rangeOf(from: number, to: number): Field<number> {
  if (to <= from) return invalid('must be later than from');
  return to - from > rangeMsMax ? invalid('must be at most 400 days after from') : valid(to);
}

function specified(name: string): string | undefined {
  return name.endsWith('_UNSPECIFIED') ? undefined : name;
}

export async function get(call: ResponseCall, request: GetRequestRequest__Output): Promise<GetRequestResponse> {
  const { db, caller, now } = call;
  const { id: wanted } = checked({ id: clientRequestId(request.id) });
  const personId = caller.role === 'member' ? caller.personId : undefined;
  const row = await readRequest(db, { organizationId: request.organizationId, id: wanted, personId });
  if (row === undefined) throw notFound('id');
  const [message] = await messages(call, request.organizationId, [row]);
  if (message === undefined) throw notFound('id');
  const { remedy, ...explanation } = await explain(db, message, now);
  return {
    request: message,
    explanation: { ...explanation, remedy: requestRemedies.names[remedy] },
    contentKept: await hasContent(call, request.organizationId, row.id),
  };
}

/** Who may not open content does not learn whether there is some. */
async function hasContent({ db, caller, now }: ResponseCall, organizationId: string, rowId: string): Promise<boolean> {
  return (
    (await mayOpenCaptures(db, caller, { organizationId, now })) &&
    (await isCaptured(db, { organizationId, id: rowId, now }))
  );
}

const sourceOf = jsonColumn('requests', 'source', aMessage<RequestSource>('RequestSource'));
const factsOf = jsonColumn('requests', 'facts', aMessage<RequestFacts>('RequestFacts'));

interface Parts {
  readonly row: RequestsTable;
  readonly source: RequestSource;
  readonly facts: RequestFacts;
}

async function messages(
  { db, caller }: Pick<PageCall, 'db' | 'caller'>,
  organizationId: string,
  rows: readonly RequestsTable[],
): Promise<RequestRow[]> {
  const parts = rows.map((row) => ({ row, source: sourceOf(row), facts: factsOf(row) }));
  const names = await readRowNames(db, organizationId, parts.map(referencesOf));
  return parts.map((part) => message(caller.role === 'member' ? withoutProviderKey(part) : part, names));
}

function withoutProviderKey(part: Parts): Parts {
  const { providerKeyId: _, ...source } = part.source;
  return { ...part, source };
}

function referencesOf({ row, source, facts }: Parts): RowReferences {
  return {
    keyId: row.key_id,
    aiSystemId: row.ai_system_id,
    personId: row.person_id,
    providerKeyId: source.providerKeyId,
    limitId: facts.limitId ?? '',
    guardrailId: facts.guardrailId ?? '',
  };
}

function message({ row, source, facts }: Parts, names: Names): RequestRow {
  return {
    id: row.id,
    at: timeText(row.at),
    result: requestResults.names[row.result],
    source,
    facts: { ...facts, requestId: row.request_id, tags: tagsIn(row.tags) },
    costUsd: usdOfNano(nanoOf(facts.costNanoUsd ?? '0') ?? 0),
    keyName: names.key(row.key_id),
    keyHint: names.keyHint(row.key_id),
    aiSystemName: names.aiSystem(row.ai_system_id),
    personName: names.person(row.person_id),
    providerKeyName: names.providerKey(source.providerKeyId),
    limit: names.limit(facts.limitId),
    guardrailName: names.guardrail(facts.guardrailId),
  };
}
