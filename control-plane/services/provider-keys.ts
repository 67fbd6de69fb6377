// Provider keys: the organization's credentials at model vendors. A secret is stored sealed and never returned.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import { isVendorName } from '../../common/vendors.ts';
import type { CreateProviderKeyRequest__Output } from '../../proto/generated/gateway/v1/CreateProviderKeyRequest.ts';
import type { DeleteProviderKeyRequest__Output } from '../../proto/generated/gateway/v1/DeleteProviderKeyRequest.ts';
import type { DeleteProviderKeyResponse } from '../../proto/generated/gateway/v1/DeleteProviderKeyResponse.ts';
import type { GetProviderKeyRequest__Output } from '../../proto/generated/gateway/v1/GetProviderKeyRequest.ts';
import type { ListProviderKeysRequest__Output } from '../../proto/generated/gateway/v1/ListProviderKeysRequest.ts';
import type { ListProviderKeysResponse } from '../../proto/generated/gateway/v1/ListProviderKeysResponse.ts';
import type { ProviderKey } from '../../proto/generated/gateway/v1/ProviderKey.ts';
import type { TestProviderKeyRequest__Output } from '../../proto/generated/gateway/v1/TestProviderKeyRequest.ts';
import type { UpdateProviderKeyRequest__Output } from '../../proto/generated/gateway/v1/UpdateProviderKeyRequest.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { secretsLike } from '../domain/custom-provider.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import {
  changesHost,
  type ProviderSettingsPatch,
  providerName,
  providerSecret,
  providerSettings,
  secretHint,
} from '../domain/provider-key.ts';
import { type ProviderSecretText, sealProviderSecret, unsealProviderSecret } from '../domain/provider-secret.ts';
import { name, timeText, within } from '../domain/shared-fields.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { findCallable } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import type { KeyTestResult } from '../vendors/key-tests.ts';
import { flag, isSame } from './columns.ts';
import { deleteLimitsUnder } from './limit-rows.ts';
import type { ChangeCall, Outcome, OutsideCall, ReadCall, ServiceDeps } from './method.ts';
import { organizationChanged } from './organizations.ts';
import { forgetState, readStates, writeState } from './provider-key-states.ts';
import { forgetNotice } from './refused-keys.ts';

export type ProviderKeyRow = Selectable<Schema['provider_keys']>;

/** The settings in JSON; those that are not set are absent. */
interface StoredSettings {
  readonly baseUrl?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly apiVersion?: string;
}

const priorityMax = 1000;
const weightMax = 1000;

/** @throws CallError provider_key_refused if the request wants a test and the vendor refuses the secret */
export async function planCreate(call: OutsideCall, request: CreateProviderKeyRequest__Output) {
  const tested = request.test === true ? await testNew(call, request) : undefined;
  return (change: ChangeCall) => create(change, request, tested);
}

async function testNew(call: OutsideCall, request: CreateProviderKeyRequest__Output): Promise<KeyTestResult> {
  const { organizationId } = request;
  const key = await call.read(async (db) => {
    const fields = await newFields({ ...call, db }, request);
    const { provider, secret } = fields;
    const settings = settingsOf({ settings: settingsText({}, fields.settings) });
    return { organizationId, provider: await testedProvider(db, organizationId, provider), settings, secret };
  });
  const tested = await call.deps.keyTests.test(key);
  if (tested.state !== 'refused') return tested;
  throw new CallError('provider_key_refused', `the vendor refuses this key: ${tested.detail}`);
}

/** @throws CallError for invalid fields */
async function newFields({ db, deps }: Pick<ChangeCall, 'db' | 'deps'>, request: CreateProviderKeyRequest__Output) {
  const { provider, rules } = await keyRules(db, request.organizationId, request.provider);
  const isListed = deps.privateUpstreams.openTo(request.organizationId);
  return checked({
    provider,
    name: name(request.name),
    secret: providerSecret(rules)(request.secret),
    settings: optional(providerSettings(rules, isListed), request.settings),
    priority: optional(within(0, priorityMax), request.priority),
    weight: optional(within(1, weightMax), request.weight),
  });
}

async function create(
  call: ChangeCall,
  request: CreateProviderKeyRequest__Output,
  tested: KeyTestResult | undefined,
): Promise<Outcome<ProviderKey>> {
  const fields = await newFields(call, request);
  const binding = { organizationId: request.organizationId, providerKeyId: uuidv7(call.now), version: 1 };
  const row: ProviderKeyRow = {
    id: binding.providerKeyId,
    organization_id: request.organizationId,
    provider: fields.provider,
    name: fields.name,
    hint: secretHint(fields.secret),
    secret: sealProviderSecret(call.deps.masterKeys, binding, fields.secret),
    secret_version: binding.version,
    settings: settingsText({}, fields.settings),
    priority: fields.priority ?? 0,
    weight: fields.weight ?? 1,
    enabled: flag(request.enabled ?? true),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('provider_keys').values(row).execute();
  const { id } = row;
  const state = tested && (await writeState(call.db, { id, at: call.now, ...tested }));
  return {
    ...recorded(row),
    result: { ...(await withState(call.db, row)), ...state },
    after: message(row),
  };
}

export async function get(call: ReadCall, request: GetProviderKeyRequest__Output): Promise<ProviderKey> {
  return await withState(call.db, await find(call.db, request.id));
}

/** Tests the stored secret, and records what was found if the secret is still the same. */
export async function planTest(call: OutsideCall, request: TestProviderKeyRequest__Output) {
  const { row, key } = await call.read(async (db) => {
    const found = await find(db, request.id);
    const { organization_id: organizationId, provider } = found;
    const tested = await testedProvider(db, organizationId, provider);
    return { row: found, key: { organizationId, provider: tested, settings: settingsOf(found) } };
  });
  const secret = openSecret(call.deps, row);
  const result: KeyTestResult =
    secret === undefined
      ? { state: 'untested', detail: 'no master key of the control plane opens its secret' }
      : await call.deps.keyTests.test({ ...key, secret });
  return async (change: ChangeCall): Promise<Outcome<ProviderKey>> => {
    const present = await find(change.db, request.id);
    if (present.secret_version !== row.secret_version || present.settings !== row.settings) {
      throw new CallError('revision_mismatch', 'it was changed while it was tested');
    }
    const state = await writeState(change.db, { id: row.id, at: change.now, ...result });
    // The next refusal is news again.
    if (result.state === 'working') await forgetNotice(change.db, row.id);
    return {
      organizationId: row.organization_id,
      target: { kind: 'provider_key', id: row.id },
      result: { ...message(present), ...state },
      after: state,
      invalidations: [],
    };
  };
}

/** @throws CallError if a custom provider was deleted meanwhile */
async function testedProvider(db: Kysely<Schema>, organizationId: string, provider: string) {
  const custom = await findCallable(db, organizationId, provider);
  if (custom !== undefined) return custom;
  if (isVendorName(provider)) return provider;
  throw notFound('provider');
}

async function withState(db: Kysely<Schema>, row: ProviderKeyRow): Promise<ProviderKey> {
  const stateOf = await readStates(db, [row.id]);
  return { ...message(row), ...stateOf(row.id) };
}

export async function list(
  call: ReadCall,
  request: ListProviderKeysRequest__Output,
): Promise<ListProviderKeysResponse> {
  const query = call.db.selectFrom('provider_keys').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  const stateOf = await readStates(
    call.db,
    items.map(({ id }) => id),
  );
  return { providerKeys: items.map((item) => ({ ...item, ...stateOf(item.id) })), nextPageToken };
}

export async function update(
  call: ChangeCall,
  request: UpdateProviderKeyRequest__Output,
): Promise<Outcome<ProviderKey>> {
  const before = await find(call.db, request.id);
  const { rules } = await keyRules(call.db, before.organization_id, before.provider);
  const isListed = call.deps.privateUpstreams.openTo(before.organization_id);
  const fields = checked({
    name: optional(name, request.name),
    secret: optional(providerSecret(rules), request.secret),
    settings: optional(providerSettings(rules, isListed), request.settings),
    priority: optional(within(0, priorityMax), request.priority),
    weight: optional(within(1, weightMax), request.weight),
  });
  expectRevision(request.ifRevision, before.revision);
  const settings = settingsOf(before);
  if (fields.secret === undefined && changesHost(settings, fields.settings)) {
    // Otherwise any operator who may update could have the stored secret sent to a host of their own.
    const description = 'must be sent again when base_url or endpoint names another host';
    throw invalidRequest([{ field: 'secret', description }]);
  }
  const columns = {
    name: fields.name ?? before.name,
    settings: settingsText(settings, fields.settings),
    priority: fields.priority ?? before.priority,
    weight: fields.weight ?? before.weight,
    enabled: request.enabled === undefined ? before.enabled : flag(request.enabled),
  };
  if (fields.secret === undefined && isSame(before, columns)) return { unchanged: await withState(call.db, before) };
  const after: ProviderKeyRow = {
    ...before,
    ...columns,
    ...secretColumns(call.deps, before, fields.secret),
    revision: call.revision,
  };
  await call.db.updateTable('provider_keys').set(after).where('id', '=', before.id).execute();
  if (fields.secret !== undefined || columns.settings !== before.settings) await forgetState(call.db, before.id);
  return {
    ...recorded(before),
    result: await withState(call.db, after),
    before: auditView(before),
    after: auditView(after),
  };
}

export async function remove(
  call: ChangeCall,
  request: DeleteProviderKeyRequest__Output,
): Promise<Outcome<DeleteProviderKeyResponse>> {
  const row = await find(call.db, request.id);
  await deleteLimitsUnder(call, row.id);
  await call.db.deleteFrom('provider_keys').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

/** Checks whether a provider of this name takes keys, and finds the shipped provider whose keys have the same form. */
async function keyRules(
  db: Kysely<Schema>,
  organizationId: string,
  text: string,
): Promise<{ readonly provider: Field<string>; readonly rules: string }> {
  const custom = await findCallable(db, organizationId, text);
  if (custom === undefined) return { provider: providerName(text), rules: text };
  const rules = secretsLike(custom);
  const provider = rules === undefined ? invalid('takes no keys: its key form is KEY_FORM_NONE') : valid(text);
  return { provider, rules: rules ?? text };
}

/** Seals a new secret under the newest master key, or the present one again, if a key opens it. */
function secretColumns(
  deps: ServiceDeps,
  row: ProviderKeyRow,
  secret: ProviderSecretText | undefined,
): Partial<ProviderKeyRow> {
  const binding = { organizationId: row.organization_id, providerKeyId: row.id, version: row.secret_version };
  if (secret !== undefined) {
    const version = row.secret_version + 1;
    return {
      secret: sealProviderSecret(deps.masterKeys, { ...binding, version }, secret),
      secret_version: version,
      hint: secretHint(secret),
    };
  }
  const present = openSecret(deps, row);
  return present === undefined
    ? {}
    : { secret: sealProviderSecret(deps.masterKeys, binding, present), hint: secretHint(present) };
}

/** Undefined if no master key opens it. */
function openSecret({ masterKeys }: ServiceDeps, row: ProviderKeyRow): ProviderSecretText | undefined {
  const binding = { organizationId: row.organization_id, providerKeyId: row.id, version: row.secret_version };
  return unsealProviderSecret(masterKeys, binding, row.secret);
}

function settingsText(present: StoredSettings, patch: ProviderSettingsPatch | undefined): string {
  const patched = (name: keyof StoredSettings) => {
    const value = patch?.[name];
    return value === undefined ? present[name] : (value ?? undefined);
  };
  // The names are in a fixed order, so that equal settings are equal texts; JSON leaves out undefined values.
  return JSON.stringify({
    baseUrl: patched('baseUrl'),
    endpoint: patched('endpoint'),
    region: patched('region'),
    apiVersion: patched('apiVersion'),
  });
}

export const settingsOf = jsonColumn('provider_keys', 'settings', aMessage<StoredSettings>('ProviderKeySettings'));

async function find(db: Kysely<Schema>, id: string): Promise<ProviderKeyRow> {
  const row = await db.selectFrom('provider_keys').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

/** The organization's record contains its provider keys. */
function recorded(row: ProviderKeyRow) {
  return {
    organizationId: row.organization_id,
    target: { kind: 'provider_key', id: row.id },
    invalidations: [organizationChanged(row.organization_id)],
  };
}

/** The message, with the secret's version, so that the log shows a replaced secret even if its hint is the same. */
function auditView(row: ProviderKeyRow): object {
  return { ...message(row), secretVersion: row.secret_version };
}

function message(row: ProviderKeyRow) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    name: row.name,
    hint: row.hint,
    settings: settingsOf(row),
    priority: row.priority,
    weight: row.weight,
    enabled: row.enabled === 1,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies ProviderKey;
}
