// Maps references on bills to provider keys or a model, or marks them as not of the gateway. A change makes all days of
// the vendor due, because every day is compared with the present mappings.
import type { Kysely, Selectable } from 'kysely';
import { canonicalSelector } from '../../catalog/model-selector.ts';
import type { BillMapping } from '../../proto/generated/gateway/v1/BillMapping.ts';
import type { DeleteMappingRequest__Output } from '../../proto/generated/gateway/v1/DeleteMappingRequest.ts';
import type { DeleteMappingResponse } from '../../proto/generated/gateway/v1/DeleteMappingResponse.ts';
import type { ListMappingsRequest__Output } from '../../proto/generated/gateway/v1/ListMappingsRequest.ts';
import type { ListMappingsResponse } from '../../proto/generated/gateway/v1/ListMappingsResponse.ts';
import type { SetMappingRequest__Output } from '../../proto/generated/gateway/v1/SetMappingRequest.ts';
import { billReferenceKinds, billVendors } from '../../proto/words/money.ts';
import { billReference, billVendor, type Reference } from '../domain/bill.ts';
import { type Field, invalid, isValid, optional, valid } from '../domain/field.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import { markAll } from '../reconciliation/due.ts';
import { mappedKeys } from '../reconciliation/mappings.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { cutPage, pageBy, threeTexts } from '../rpc/page.ts';
import { callableBy } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { flag, isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type MappingRow = Selectable<Schema['bill_mappings']>;

/** For one organization. All mappings of a vendor are read for each day that is compared. */
const mappingsMax = 1000;
const keysMax = 32;

export async function setMapping(call: ChangeCall, request: SetMappingRequest__Output): Promise<Outcome<BillMapping>> {
  const { vendor, reference } = checked({
    vendor: billVendor(request.vendor),
    reference: billReference(request.reference),
  });
  const target = checked(targetFields(reference, request));
  await requireKeys(call.db, request.organizationId, target.provider_key_ids);
  const before = await find(call.db, { ...request, vendor, reference });
  if (before === undefined) await requireSubject(call.db, request.organizationId);
  const columns = {
    provider_key_ids: JSON.stringify(target.provider_key_ids.toSorted()),
    model: target.model ?? null,
    ignored: flag(request.ignored),
  };
  if (before !== undefined && isSame(before, columns)) return { unchanged: message(before) };
  const after: MappingRow = {
    organization_id: request.organizationId,
    vendor,
    kind: reference.kind,
    value: reference.value,
    ...columns,
    created_at: before?.created_at ?? call.now,
    revision: call.revision,
  };
  await call.db
    .insertInto('bill_mappings')
    .values(after)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'vendor', 'kind', 'value'])
        .doUpdateSet({ ...columns, revision: call.revision }),
    )
    .execute();
  await markAll(call, { organizationId: request.organizationId, vendor });
  return {
    ...recorded(after),
    result: message(after),
    ...(before !== undefined && { before: message(before) }),
    after: message(after),
  };
}

export async function listMappings(
  call: ReadCall,
  request: ListMappingsRequest__Output,
): Promise<ListMappingsResponse> {
  const { size, limit, after } = pageBy(request, threeTexts<Key>);
  const { vendor } = checked({ vendor: optional(billVendor, request.vendor) });
  let query = call.db
    .selectFrom('bill_mappings')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .orderBy('vendor')
    .orderBy('kind')
    .orderBy('value')
    .limit(limit);
  if (vendor !== undefined) query = query.where('vendor', '=', vendor);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('vendor', 'kind', 'value'), '>', tuple(...after)));
  }
  const keyOf = (row: MappingRow) => JSON.stringify([row.vendor, row.kind, row.value]);
  const { items, nextPageToken } = cutPage(await query.execute(), size, keyOf, message);
  return { mappings: items, nextPageToken };
}

export async function deleteMapping(
  call: ChangeCall,
  request: DeleteMappingRequest__Output,
): Promise<Outcome<DeleteMappingResponse>> {
  const { vendor, reference } = checked({
    vendor: billVendor(request.vendor),
    reference: billReference(request.reference),
  });
  const row = await find(call.db, { ...request, vendor, reference });
  if (row === undefined) throw notFound('mapping');
  await call.db
    .deleteFrom('bill_mappings')
    .where('organization_id', '=', row.organization_id)
    .where('vendor', '=', row.vendor)
    .where('kind', '=', row.kind)
    .where('value', '=', row.value)
    .execute();
  await markAll(call, { organizationId: row.organization_id, vendor });
  return { ...recorded(row), result: {}, before: message(row) };
}

function targetFields(reference: Reference, { providerKeyIds, model, ignored }: SetMappingRequest__Output) {
  const targets = [providerKeyIds.length > 0, model !== undefined, ignored].filter(Boolean).length;
  const isOfModel = reference.kind === 'model';
  const one = 'give provider keys, a model, or that it is ignored: one of them';
  return {
    provider_key_ids:
      isOfModel && providerKeyIds.length > 0
        ? invalid('is not for names of models: map them to a model')
        : targets === 1
          ? keyIds(providerKeyIds)
          : invalid(one),
    model: !isOfModel && model !== undefined ? invalid('is for names of models alone') : optional(modelName, model),
  };
}

function keyIds(ids: readonly string[]): Field<readonly string[]> {
  const fits = ids.length <= keysMax && new Set(ids).size === ids.length && ids.every((one) => isValid(id(one)));
  return fits ? valid(ids) : invalid(`must be at most ${keysMax} ids, each once`);
}

function modelName(text: string): Field<string> {
  return /^[a-z0-9-]{1,63}\/[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,255}$/.test(text)
    ? valid(canonicalSelector(text))
    : invalid('must be <provider>/<model>, such as gpt-provider/gpt-4o');
}

/**
 * Deleted provider keys are accepted too: bills are about the past, and the audit log still shows the key's
 * organization.
 * @throws CallError
 */
async function requireKeys(db: Kysely<Schema>, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const stored = await db
    .selectFrom('provider_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const keyless = await db
    .selectFrom('providers')
    .select('id')
    .where(callableBy(organizationId))
    .where('id', 'in', ids)
    .execute();
  const deleted = await db
    .selectFrom('audit_events')
    .select('target_id as id')
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('target_kind', '=', 'provider_key')
    .where('target_id', 'in', ids)
    .execute();
  const known = new Set([...stored, ...keyless, ...deleted].map((row) => row.id));
  const violations = ids.flatMap((one, index) =>
    known.has(one)
      ? []
      : [{ field: `provider_key_ids[${index}]`, description: 'must be a provider key of the organization' }],
  );
  if (violations.length > 0) throw invalidRequest(violations);
}

/** @throws CallError */
async function requireSubject(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('bill_mappings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < mappingsMax) return;
  throw new CallError('too_many_mappings', `there are ${mappingsMax} already; delete one that is not needed`);
}

interface MappingKey {
  readonly organizationId: string;
  readonly vendor: MappingRow['vendor'];
  readonly reference: Reference;
}

function find(db: Kysely<Schema>, { organizationId, vendor, reference }: MappingKey) {
  return db
    .selectFrom('bill_mappings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('kind', '=', reference.kind)
    .where('value', '=', reference.value)
    .executeTakeFirst();
}

type Key = readonly [vendor: MappingRow['vendor'], kind: MappingRow['kind'], value: string];

function recorded({ organization_id, vendor, kind, value }: MappingRow) {
  return {
    organizationId: organization_id,
    target: { kind: 'bill_mapping', id: `${vendor} ${kind} ${value}` },
    // Bills are in no record of proxies.
    invalidations: [],
  };
}

function message(row: MappingRow) {
  return {
    organizationId: row.organization_id,
    vendor: billVendors.names[row.vendor],
    reference: { kind: billReferenceKinds.names[row.kind], value: row.value },
    providerKeyIds: mappedKeys(row, row.kind),
    ...(row.model !== null && { model: row.model }),
    ignored: row.ignored === 1,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies BillMapping;
}
