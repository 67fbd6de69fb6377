// Prices of an organization's own, by model name or glob. All of them travel in the organization's record, so a change of one
// names that record on the change feed.
import type { Kysely } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreatePriceRequest__Output } from '../../proto/generated/gateway/v1/CreatePriceRequest.ts';
import type { DeletePriceRequest__Output } from '../../proto/generated/gateway/v1/DeletePriceRequest.ts';
import type { DeletePriceResponse } from '../../proto/generated/gateway/v1/DeletePriceResponse.ts';
import type { GetPriceRequest__Output } from '../../proto/generated/gateway/v1/GetPriceRequest.ts';
import type { ListPricesRequest__Output } from '../../proto/generated/gateway/v1/ListPricesRequest.ts';
import type { ListPricesResponse } from '../../proto/generated/gateway/v1/ListPricesResponse.ts';
import type { Price } from '../../proto/generated/gateway/v1/Price.ts';
import type { UpdatePriceRequest__Output } from '../../proto/generated/gateway/v1/UpdatePriceRequest.ts';
import { modelGlob, timeText } from '../domain/fields.ts';
import { modelPrices } from '../domain/model-prices.ts';
import type { Schema } from '../store/schema.ts';
import { checked, expectRevision } from './checked.ts';
import { CallError, notFound } from './errors.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { organizationChanged } from './organizations.ts';
import { pageOf } from './page.ts';
import { type PriceRow, priceRecord } from './price.ts';

/** Of one organization: with all else in its record they must fit into a message. */
export const pricesMax = 200;

export async function create(call: ChangeCall, request: CreatePriceRequest__Output): Promise<Outcome<Price>> {
  const fields = checked({
    model: modelGlob(request.model),
    prices: modelPrices(dayOf(call.now))(request.prices),
  });
  await requirePlace(call.db, request.organizationId);
  const row: PriceRow = {
    id: uuidv7(call.now),
    organization_id: request.organizationId,
    model: fields.model,
    prices: JSON.stringify(fields.prices),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('prices').values(row).execute();
  return { ...recorded(row), result: message(row), after: message(row) };
}

export async function get(call: ReadCall, request: GetPriceRequest__Output): Promise<Price> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListPricesRequest__Output): Promise<ListPricesResponse> {
  const query = call.db
    .selectFrom('prices')
    .selectAll()
    .where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { prices: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdatePriceRequest__Output): Promise<Outcome<Price>> {
  const before = await find(call.db, request.id);
  const { prices } = checked({ prices: modelPrices(dayOf(call.now))(request.prices) });
  expectRevision(request.ifRevision, before.revision);
  const text = JSON.stringify(prices);
  if (text === before.prices) return { unchanged: message(before) };
  const after: PriceRow = { ...before, prices: text, revision: call.revision };
  await call.db.updateTable('prices').set(after).where('id', '=', before.id).execute();
  return { ...recorded(before), result: message(after), before: message(before), after: message(after) };
}

export async function remove(
  call: ChangeCall,
  request: DeletePriceRequest__Output,
): Promise<Outcome<DeletePriceResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('prices').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

/** @throws CallError */
async function requirePlace(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('prices')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < pricesMax) return;
  throw new CallError(
    'too_many_prices',
    `there are ${pricesMax} already; delete one, or use a glob for several`,
  );
}

function recorded(row: PriceRow) {
  return {
    organizationId: row.organization_id,
    target: { kind: 'price', id: row.id },
    invalidations: [organizationChanged(row.organization_id)],
  };
}

async function find(db: Kysely<Schema>, id: string): Promise<PriceRow> {
  const row = await db.selectFrom('prices').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function message(row: PriceRow) {
  return {
    ...priceRecord(row),
    organizationId: row.organization_id,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Price;
}
