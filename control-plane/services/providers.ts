// Custom providers: those of one organization, which its owners and admins manage, and those of the platform, for every
// organization. Names are unique among all providers that an organization may call, so none shadows another.
import type { Kysely } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateProviderRequest__Output } from '../../proto/generated/gateway/v1/CreateProviderRequest.ts';
import type { DeleteProviderRequest__Output } from '../../proto/generated/gateway/v1/DeleteProviderRequest.ts';
import type { DeleteProviderResponse } from '../../proto/generated/gateway/v1/DeleteProviderResponse.ts';
import type { GetProviderRequest__Output } from '../../proto/generated/gateway/v1/GetProviderRequest.ts';
import type { ListProvidersRequest__Output } from '../../proto/generated/gateway/v1/ListProvidersRequest.ts';
import type { ListProvidersResponse } from '../../proto/generated/gateway/v1/ListProvidersResponse.ts';
import type { Provider } from '../../proto/generated/gateway/v1/Provider.ts';
import type { UpdateProviderRequest__Output } from '../../proto/generated/gateway/v1/UpdateProviderRequest.ts';
import { keyForms, wireFormats } from '../../proto/words/access.ts';
import { baseUrl } from '../domain/base-url.ts';
import {
  customProviderName,
  keyForm,
  keyHeader,
  passedFields,
  secretsLike,
  wireFormat,
} from '../domain/custom-provider.ts';
import { optional } from '../domain/field.ts';
import { providerModels } from '../domain/provider-models.ts';
import { timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { callableBy, modelsOf, type ProviderRow, passedFieldsOf } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { type Invalidation, NameTakenError } from '../store/store.ts';
import { isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { organizationChanged } from './organizations.ts';
import { countRoutesTo } from './route-rows.ts';

/** For one organization, and for the platform. Each organization's record contains all of both. */
export const providersMax = 32;

export async function create(call: ChangeCall, request: CreateProviderRequest__Output): Promise<Outcome<Provider>> {
  const organizationId = request.organizationId ?? null;
  const fields = checked({
    name: customProviderName(request.name),
    wire_format: wireFormat(request.wireFormat),
    base_url: baseUrl(request.baseUrl, call.deps.privateUpstreams.openTo(request.organizationId)),
    key_form: optional(keyForm, request.keyForm),
    key_header: keyHeader(request.keyForm, request.keyHeader),
    models: optional(providerModels(dayOf(call.now)), request.models),
    passed_fields: optional(passedFields, request.passedFields),
  });
  await expectRoom(call.db, organizationId, fields.name);
  const row: ProviderRow = {
    id: uuidv7(call.now),
    organization_id: organizationId,
    name: fields.name,
    wire_format: fields.wire_format,
    base_url: fields.base_url,
    key_form: fields.key_form ?? 'wire_format',
    key_header: fields.key_header,
    models: JSON.stringify(fields.models ?? []),
    passed_fields: JSON.stringify(fields.passed_fields ?? []),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('providers').values(row).execute();
  return { ...(await recorded(call.db, row)), result: message(row), after: message(row) };
}

export async function get(call: ReadCall, request: GetProviderRequest__Output): Promise<Provider> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListProvidersRequest__Output): Promise<ListProvidersResponse> {
  const query = call.db
    .selectFrom('providers')
    .selectAll()
    .where(callableBy(request.organizationId ?? null));
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { providers: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateProviderRequest__Output): Promise<Outcome<Provider>> {
  const before = await find(call.db, request.id);
  const isListed = call.deps.privateUpstreams.openTo(before.organization_id ?? undefined);
  const fields = checked({
    base_url: optional((text: string) => baseUrl(text, isListed), request.baseUrl),
    key_form: optional(keyForm, request.keyForm),
    key_header: keyHeader(request.keyForm, request.keyHeader),
    models: optional(providerModels(dayOf(call.now)), request.models),
    passed_fields: optional(passedFields, request.passedFields),
  });
  expectRevision(request.ifRevision, before.revision);
  const columns = {
    base_url: fields.base_url ?? before.base_url,
    key_form: fields.key_form ?? before.key_form,
    key_header: fields.key_form === undefined ? before.key_header : fields.key_header,
    models: fields.models === undefined ? before.models : JSON.stringify(fields.models),
    passed_fields: fields.passed_fields === undefined ? before.passed_fields : JSON.stringify(fields.passed_fields),
  };
  if (isSame(before, columns)) return { unchanged: message(before) };
  const after: ProviderRow = { ...before, ...columns, revision: call.revision };
  // Otherwise any operator who may update could have stored secrets sent to a host that their owners have not seen.
  if (after.base_url !== before.base_url || secretsLike(after) !== secretsLike(before)) {
    await expectNoKeys(call.db, before);
  }
  await call.db.updateTable('providers').set(after).where('id', '=', before.id).execute();
  return {
    ...(await recorded(call.db, before)),
    result: message(after),
    before: message(before),
    after: message(after),
  };
}

export async function remove(
  call: ChangeCall,
  request: DeleteProviderRequest__Output,
): Promise<Outcome<DeleteProviderResponse>> {
  const row = await find(call.db, request.id);
  await expectNoKeys(call.db, row);
  await expectNoRoutes(call.db, row);
  await call.db.deleteFrom('providers').where('id', '=', row.id).execute();
  return { ...(await recorded(call.db, row)), result: {}, before: message(row) };
}

/**
 * @throws CallError, NameTakenError if the name is taken: by the platform, or by an organization for one of the
 * platform's
 */
async function expectRoom(db: Kysely<Schema>, organizationId: string | null, name: string): Promise<void> {
  const own = organizationId === null ? 'is' : '=';
  const { count } = await db
    .selectFrom('providers')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', own, organizationId)
    .executeTakeFirstOrThrow();
  if (count >= providersMax) {
    throw new CallError('too_many_providers', `there are ${providersMax} already; delete one that is not needed`);
  }
  const other = await db
    .selectFrom('providers')
    .select('id')
    .where('name', '=', name)
    .where('organization_id', organizationId === null ? 'is not' : 'is', null)
    .executeTakeFirst();
  if (other !== undefined) throw new NameTakenError('providers_name_unique');
}

/** @throws CallError while provider keys are stored for it, enabled or not */
async function expectNoKeys(db: Kysely<Schema>, row: ProviderRow): Promise<void> {
  let query = db
    .selectFrom('provider_keys')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('provider', '=', row.name);
  if (row.organization_id !== null) query = query.where('organization_id', '=', row.organization_id);
  const { count } = await query.executeTakeFirstOrThrow();
  if (count === 0) return;
  const keys = count === 1 ? '1 provider key is' : `${count} provider keys are`;
  throw new CallError('provider_in_use', `${keys} stored for it; they have to be deleted first`);
}

/** @throws CallError while routes lead to it, active or not */
async function expectNoRoutes(db: Kysely<Schema>, row: ProviderRow): Promise<void> {
  const count = await countRoutesTo(db, row);
  if (count === 0) return;
  const routes = count === 1 ? '1 route leads' : `${count} routes lead`;
  throw new CallError('provider_in_use', `${routes} to it; they have to be changed or deleted first`);
}

async function recorded(db: Kysely<Schema>, row: ProviderRow) {
  return {
    organizationId: row.organization_id ?? undefined,
    target: { kind: 'provider', id: row.id },
    invalidations: await whoseRecords(db, row),
  };
}

/**
 * The organization's record contains its providers, and every organization's record contains the platform's. So a
 * change of one of the platform's invalidates every organization. An invalidation of the provider alone would make
 * every look-up, in memory and in Redis, compare a second position. This way the one rule of the feed is enough, also
 * for proxies that do not know providers. It costs one row of the feed for each organization, and in each proxy one
 * resolve for each organization in use, at a change that happens a few times a year. If the rows are too many for a
 * message, the watch resets its proxies (changes/watch.ts). Organizations that are created meanwhile come after this
 * change, because changes run one after another.
 */
async function whoseRecords(db: Kysely<Schema>, row: ProviderRow): Promise<readonly Invalidation[]> {
  if (row.organization_id !== null) return [organizationChanged(row.organization_id)];
  const organizations = await db.selectFrom('organizations').select('id').execute();
  return organizations.map(({ id }) => organizationChanged(id));
}

async function find(db: Kysely<Schema>, id: string): Promise<ProviderRow> {
  const row = await db.selectFrom('providers').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function message(row: ProviderRow) {
  return {
    id: row.id,
    ...(row.organization_id === null ? {} : { organizationId: row.organization_id }),
    name: row.name,
    wireFormat: wireFormats.names[row.wire_format],
    baseUrl: row.base_url,
    keyForm: keyForms.names[row.key_form],
    ...(row.key_header === null ? {} : { keyHeader: row.key_header }),
    models: modelsOf(row),
    passedFields: passedFieldsOf(row),
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Provider;
}
