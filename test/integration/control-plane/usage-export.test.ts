// Exports of requests over both databases, over gRPC and the JSON API: complete, in order, and only for authorized
// operators.
import { text } from 'node:stream/consumers';
import { type Client, credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { systemClock } from '../../../common/clock.ts';
import { dayMs } from '../../../common/durations.ts';
import { usdOfNano } from '../../../common/money.ts';
import { PrivateUpstreams } from '../../../common/private-upstreams.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { createDispatcher } from '../../../control-plane/api/dispatch.ts';
import { Followers } from '../../../control-plane/requests/followers.ts';
import { createShares } from '../../../control-plane/rpc/shares.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { exportUsage } from '../../../control-plane/usage/export.ts';
import type { ExportUsageRequest } from '../../../proto/generated/gateway/v1/ExportUsageRequest.ts';
import type { ExportUsageResponse__Output } from '../../../proto/generated/gateway/v1/ExportUsageResponse.ts';
import { services } from '../../../proto/load.ts';
import { Random } from '../../support/access/random.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  metadataWith,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { noGuardrailWork, noKeyTests, noPost, someReplica } from '../../support/replica.ts';
import { startingSeed } from '../../support/seed.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

const seed = startingSeed();
const events = 10_500;
const days = 3;
// Recent enough not to be deleted.
const firstDay = Date.parse(dayOf(Date.now())) - 5 * dayMs;
const csv = 'USAGE_FORMAT_CSV';
const jsonLines = 'USAGE_FORMAT_JSON_LINES';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])(`an export of ${events} requests over %s (seed ${seed})`, (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let client: Client;
  let acme: TestTenant;
  let other: TestTenant;
  let recorded: readonly UsageEventRow[];

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    plane = await startOperatorsPlane({
      env: { GATEWAY_DATABASE_URL: database.url },
      rates: { export_rate: { perMinute: 1000, burst: 1000 } },
    });
    const Constructor = makeGenericClientConstructor(services.Usage, 'Usage');
    client = new Constructor(`127.0.0.1:${plane.plane.grpcPort}`, credentials.createInsecure());
    const platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    const random = new Random(seed);
    recorded = Array.from({ length: events }, () => randomEvent(random, acme.id)).toSorted(inOrder);
    await recordEvents(store, [...recorded, usageEvent({ organization_id: other.id, at: firstDay })]);
  });
  afterAll(async () => {
    client.close();
    await plane.close();
    await database.drop();
  });

  const range = {
    from: new Date(firstDay).toISOString(),
    to: new Date(firstDay + days * dayMs).toISOString(),
  };

  function ask(fields: ExportUsageRequest): ExportUsageRequest {
    return { organizationId: acme.id, ...range, format: jsonLines, ...fields };
  }

  function overHttp(fields: ExportUsageRequest, token = acme.owner.token): Promise<Response> {
    return fetch(`http://127.0.0.1:${plane.plane.httpPort}/gateway.v1.Usage/Export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(ask(fields)),
    });
  }

  function overGrpc(fields: ExportUsageRequest): Promise<string> {
    const { path, requestSerialize, responseDeserialize } = services.Usage.Export;
    const metadata = metadataWith(acme.owner.token);
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, ask(fields), metadata);
    return text(stream.map(({ chunk }: ExportUsageResponse__Output) => chunk));
  }

  it('contains every request of the organization in order of time, as lines of JSON', async () => {
    const response = await overHttp({});
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="usage-${dayOf(firstDay)}-to-${dayOf(firstDay + 2 * dayMs)}.jsonl"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'transfer-encoding': 'chunked',
    });
    const body = await response.text();
    expect(body.endsWith('}\n')).toBe(true);
    expect(body.trimEnd().split('\n').map(parse)).toEqual(recorded.map(jsonOf));
  });

  it('contains the same as CSV, with safe cells and exact numbers', async () => {
    const response = await overHttp({ format: csv });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await response.text()).split('\r\n');
    expect(lines.pop()).toBe('');
    const [header = '', ...records] = lines;
    const at = (name: string) => header.split(',').indexOf(name);
    const cells = records.map((line) => line.split(','));
    expect(cells.map((record) => record[at('id')])).toEqual(recorded.map(({ id }) => id));
    expect(cells.map((record) => record[at('cost_usd')])).toEqual(recorded.map(({ cost }) => usdOfNano(cost)));
    expect(cells.map((record) => record[at('model_asked')])).toEqual(
      recorded.map(({ model_asked }) => (model_asked.startsWith('=') ? `'${model_asked}` : model_asked)),
    );
    expect(cells.map((record) => record[at('first_token_ms')])).toEqual(
      recorded.map(({ first_token_ms }) => String(first_token_ms ?? '')),
    );
  });

  it('is the same over gRPC and the JSON API', async () => {
    expect(await overGrpc({ format: csv })).toBe(await (await overHttp({ format: csv })).text());
  });

  it('keeps to its range to the millisecond', async () => {
    const [from, to] = [recorded[100]?.at ?? 0, recorded[200]?.at ?? 0];
    const lines = await overGrpc({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
    const expected = recorded.filter(({ at }) => at >= from && at < to);
    expect(lines.trimEnd().split('\n').map(parse)).toEqual(expected.map(jsonOf));
  });

  it('of an empty range is a header, or empty', async () => {
    const empty = { from: new Date(firstDay - dayMs).toISOString(), to: new Date(firstDay).toISOString() };
    expect(await overGrpc({ ...empty, format: csv })).toMatch(
      /^at,id,[a-z0-9_,]+,attempts,estimate_reason,reported_cost_usd,service_tier,[a-z0-9_,]+,images,metadata,provider_key_id,kind,author_id,reason,undoes,guardrail_id,key_name,[a-z_,]+,provider_key_name,author_name\r\n$/,
    );
    expect(await overGrpc(empty)).toBe('');
    expect(await (await overHttp(empty)).text()).toBe('');
  });

  it('reads the database only as far as the reader has read, and no page twice', async () => {
    let reads = 0;
    const chunks = await exportUsage(
      { organizationId: acme.id, from: firstDay, to: firstDay + days * dayMs },
      'csv',
      (work) => {
        reads++;
        return store.snapshot(work);
      },
    );
    let taken = 0;
    let largest = 0;
    for await (const chunk of chunks) {
      taken++;
      largest = Math.max(largest, chunk.length);
      expect(reads).toBe(taken);
    }
    expect(taken).toBe(events / 500);
    expect(largest).toBeLessThan(512 * 1024);
  });

  it('ends when the token is revoked during the export', async () => {
    const leaving = { personId: acme.admin.id, name: 'brief' };
    const made = await plane.expect('OperatorTokens.Create', acme.owner.token, leaving);
    const services = {
      masterKeys: parseSealKeys(createSealKey()),
      bootstrapHash: undefined,
      privateUpstreams: new PrivateUpstreams([]),
      privateIssuers: new PrivateUpstreams([]),
      outsideTokens: () => Promise.reject(new Error('there are no issuers')),
      usageKeptMs: 0,
      webhookAddresses: { allows: () => false, takesPrivateNames: false },
      replica: someReplica,
      guardrailWork: noGuardrailWork,
      followers: new Followers(),
      keyTests: noKeyTests,
      readTxt: async () => [],
      webhookPost: noPost,
    };
    const shares = createShares(systemClock);
    const dispatcher = createDispatcher({ store, services, shares, clock: systemClock });
    const who = { authorization: `Bearer ${made.value}`, certificateProxy: undefined, from: '127.0.0.1' };
    const request = { organizationId: acme.id, ...range, format: csv };
    const { chunks } = await dispatcher.download('Usage.Export', who, request);
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    await plane.expect('OperatorTokens.Revoke', acme.owner.token, { id: made.operatorToken.id });
    await expect(iterator.next()).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  it('is refused to members, to other organizations, and without a format', async () => {
    const call = (token: string, fields: ExportUsageRequest = {}) => plane.call('Usage.Export', token, ask(fields));
    expect(await refusal(call(acme.member.token))).toMatchObject({ reason: 'permission_denied' });
    expect(await refusal(call(other.owner.token))).toMatchObject({ reason: 'not_found' });
    expect(await violated(call(acme.owner.token, { format: 'USAGE_FORMAT_UNSPECIFIED' }))).toEqual(['format']);
    expect(await violated(call(acme.owner.token, { from: range.to, to: range.from }))).toEqual(['to']);
    const response = await overHttp({ organizationId: other.id });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
  });
});

function inOrder(a: UsageEventRow, b: UsageEventRow): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

/** Several events per millisecond, so that pages end between them. */
function randomEvent(random: Random, organizationId: string): UsageEventRow {
  const at = firstDay + random.below(days) * dayMs + random.below(1000);
  return usageEvent({
    organization_id: organizationId,
    at,
    person_id: random.pick([null, 'person-1']),
    model_asked: random.pick(['gpt-provider/gpt-4o', '=cmd|x']),
    cost: random.below(5_000_000_000),
    prompt_tokens: random.below(1_000_000),
    first_token_ms: random.pick([null, 120]),
    estimate_reason: random.pick([null, 'killed']),
    reported_cost: random.pick([null, 1_000_000]),
    provider_key_id: random.pick([null, 'provider-key-1']),
    special: random.pick([null, JSON.stringify({ serviceTier: 'priority', searches: 2 })]),
    streamed: random.pick([0, 1]),
  });
}

function parse(line: string): unknown {
  return JSON.parse(line);
}

function jsonOf(event: UsageEventRow) {
  return {
    at: new Date(event.at).toISOString(),
    id: event.id,
    requestId: event.request_id,
    keyId: event.key_id,
    ...(event.person_id === null ? {} : { personId: event.person_id }),
    provider: event.provider,
    modelAsked: event.model_asked,
    modelAnswered: event.model_answered,
    promptTokens: event.prompt_tokens,
    completionTokens: event.completion_tokens,
    cacheReadTokens: event.cache_read_tokens,
    cacheWriteTokens: event.cache_write_tokens,
    cacheWrite1hTokens: event.cache_write1h_tokens,
    reasoningTokens: event.reasoning_tokens,
    costUsd: usdOfNano(event.cost),
    unpriced: false,
    estimated: false,
    status: 200,
    errorSource: '',
    errorCode: '',
    latencyMs: event.latency_ms,
    ...(event.first_token_ms === null ? {} : { firstTokenMs: event.first_token_ms }),
    streamed: event.streamed === 1,
    directKey: false,
    attempts: 1,
    ...(event.estimate_reason === null ? {} : { estimateReason: event.estimate_reason }),
    ...(event.reported_cost === null ? {} : { reportedCostUsd: usdOfNano(event.reported_cost) }),
    ...(event.provider_key_id === null ? {} : { providerKeyId: event.provider_key_id }),
    kind: 'request',
    ...(event.special === null ? {} : { serviceTier: 'priority', searches: 2 }),
  };
}
