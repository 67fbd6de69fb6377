// Prices of an organization's own, by model name or glob. The organization's record contains all of them, so the change
// feed names that record when one changes.
import type { Kysely } from 'kysely';
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
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
import { modelPrices } from '../domain/model-prices.ts';
import { pricedSelector } from '../domain/model-selector.ts';
import { timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { NameTakenError } from '../store/store.ts';
import { isSame } from './columns.ts';
import { readKnownModels } from './known-models.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { organizationChanged } from './organizations.ts';
import { type PriceRow, priceRecord } from './price-rows.ts';

/** For one organization. They must fit into one message with the rest of its record. */
export const pricesMax = 200;

export async function create(call: ChangeCall, request: CreatePriceRequest__Output): Promise<Outcome<Price>> {
  const known = await readKnownModels(call.db, request.organizationId, request.model);
  const fields = checked({
    model: pricedSelector(known, request.allowUnmatched === true)(request.model),
    prices: modelPrices(dayOf(call.now))(request.prices),
  });
  await requireSubject(call.db, request.organizationId, fields.model.stored);
  const row: PriceRow = {
    id: uuidv7(call.now),
    organization_id: request.organizationId,
    model: fields.model.stored,
    prices: JSON.stringify(fields.prices),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('prices').values(row).execute();
  const { match } = fields.model;
  return { ...recorded(row), result: { ...message(row), match }, after: message(row) };
}

export async function get(call: ReadCall, request: GetPriceRequest__Output): Promise<Price> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListPricesRequest__Output): Promise<ListPricesResponse> {
  const query = call.db.selectFrom('prices').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { prices: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdatePriceRequest__Output): Promise<Outcome<Price>> {
  const before = await find(call.db, request.id);
  const { prices } = checked({ prices: modelPrices(dayOf(call.now))(request.prices) });
  expectRevision(request.ifRevision, before.revision);
  const columns = { prices: JSON.stringify(prices), model: await storedAnew(call.db, before) };
  if (isSame(before, columns)) return { unchanged: message(before) };
  const after: PriceRow = { ...before, ...columns, revision: call.revision };
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

/** @throws CallError, NameTakenError if there is a price for the model under any of its names */
async function requireSubject(db: Kysely<Schema>, organizationId: string, model: string): Promise<void> {
  const rows = await db.selectFrom('prices').select('model').where('organization_id', '=', organizationId).execute();
  if (rows.some((row) => canonicalSelector(row.model) === canonicalSelector(model))) {
    throw new NameTakenError('prices_model_unique');
  }
  if (rows.length < pricesMax) return;
  throw new CallError('too_many_prices', `there are ${pricesMax} already; delete one, or use a glob for several`);
}

/**
 * A price that was stored with an alias of its provider is rewritten with the canonical name, unless another price has
 * that name.
 */
async function storedAnew(db: Kysely<Schema>, { id, organization_id, model }: PriceRow): Promise<string> {
  const stored = storedSelector(model);
  if (stored === model) return model;
  const other = await db
    .selectFrom('prices')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('model', '=', stored)
    .where('id', '!=', id)
    .executeTakeFirst();
  return other === undefined ? stored : model;
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
    model: canonicalSelector(row.model),
    organizationId: row.organization_id,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Price;
}
