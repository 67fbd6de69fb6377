// Virtual keys: the keys that callers of the gateway send. A value is only in the response of the call that creates it.
import { hash } from 'node:crypto';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/CreateVirtualKeyRequest.ts';
import type { CreateVirtualKeyResponse } from '../../proto/generated/gateway/v1/CreateVirtualKeyResponse.ts';
import type { GetVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/GetVirtualKeyRequest.ts';
import type { ListVirtualKeysRequest__Output } from '../../proto/generated/gateway/v1/ListVirtualKeysRequest.ts';
import type { ListVirtualKeysResponse } from '../../proto/generated/gateway/v1/ListVirtualKeysResponse.ts';
import type { RevokeVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/RevokeVirtualKeyRequest.ts';
import type { RotateVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/RotateVirtualKeyRequest.ts';
import type { RotateVirtualKeyResponse } from '../../proto/generated/gateway/v1/RotateVirtualKeyResponse.ts';
import type { UpdateVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/UpdateVirtualKeyRequest.ts';
import type { VirtualKey } from '../../proto/generated/gateway/v1/VirtualKey.ts';
import { priorityClasses } from '../../proto/words/access.ts';
import { wordOf } from '../domain/enum-names.ts';
import { clearable, optional } from '../domain/field.ts';
import { modelSelectors, type WrittenSelector } from '../domain/model-selector.ts';
import {
  clientRequestId,
  metadata,
  modelGlobs,
  name,
  time,
  usualWeight,
  weight,
  within,
} from '../domain/shared-fields.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError } from '../rpc/errors.ts';
import { cutPage, pageById } from '../rpc/page.ts';
import { keepPastMetadata } from '../usage/metadata.ts';
import { purgeCapturesOfKey } from './captures.ts';
import { flag, globsText, isSame } from './columns.ts';
import { readDetails } from './key-details.ts';
import { readKeyFilter, selectedBy } from './key-filter.ts';
import { countStatuses, keyStatusColumn } from './key-status.ts';
import { addValue, changed, endValues, revokeKey } from './key-values.ts';
import { readKnownModels } from './known-models.ts';
import { deleteLimitsUnder } from './limit-rows.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';
import { matchesOf, withMatches } from './selector-check.ts';
import {
  findKey,
  findOwnKey,
  hintOf,
  type KeyRow,
  type KeyScope,
  keyMessage,
  keyScope,
  requireMayOwnKey,
  requireMayWeigh,
  requireNotRevoked,
  requireOwnScope,
  valuesOf,
  valuesOfKey,
} from './virtual-key-rows.ts';

const graceSecondsMax = 30 * 24 * 3600;
const oldValuesMax = 10;

export async function create(
  call: ChangeCall,
  request: CreateVirtualKeyRequest__Output,
): Promise<Outcome<CreateVirtualKeyResponse>> {
  const fields = checked({
    scope: keyScope(request.organizationId)(request.scope),
    name: name(request.name),
    ends_at: clearable(time, request.endsAt),
    allowed_models: optional(modelGlobs, request.allowedModels),
    metadata: optional(metadata, request.metadata),
    client_request_id: optional(clientRequestId, request.clientRequestId),
    priority_class: optional(wordOf(priorityClasses), request.priorityClass),
    weight: optional(weight, request.weight),
  });
  const columns = {
    organization_id: request.organizationId,
    scope_kind: fields.scope.kind,
    scope_id: fields.scope.id,
    name: fields.name,
    active: flag(request.active ?? true),
    ends_at: fields.ends_at ?? null,
    // The models as they were sent, because the meaning of a name may change between a request and its repetition.
    allowed_models: JSON.stringify(fields.allowed_models ?? []),
    metadata: JSON.stringify(fields.metadata ?? {}),
  };
  requireOwnScope(call.caller, fields.scope);
  if (fields.weight !== undefined) requireMayWeigh(call.caller);
  const standing = { priority_class: fields.priority_class, weight: fields.weight };
  // JSON leaves out what is undefined: the hash of a request without these fields is the same as before they existed.
  const requestHash = hash('sha256', JSON.stringify({ ...columns, ...standing }), 'hex');
  const earlier = await createdBefore(call, request.organizationId, fields.client_request_id, requestHash);
  if (earlier !== undefined) return { unchanged: { virtualKey: earlier } };
  await requireExists(call.db, request.organizationId, { field: 'scope', ...fields.scope });
  await requireMayOwnKey(call, fields.scope);
  const selectors = await readSelectors(call, request.organizationId, request);
  const row: KeyRow = {
    ...columns,
    priority_class: standing.priority_class ?? 'interactive',
    weight: standing.weight ?? usualWeight,
    allowed_models: globsText(selectors ?? []),
    id: uuidv7(call.now),
    revoked_at: null,
    client_request_id: fields.client_request_id ?? null,
    request_hash: fields.client_request_id === undefined ? null : requestHash,
    created_at: call.now,
    created_by: call.caller.personId,
    last_used_at: null,
    revision: call.revision,
    last_hint: '',
    last_used_request: null,
    last_used_model: null,
    last_used_proxy: null,
  };
  await call.db.insertInto('virtual_keys').values(row).execute();
  const added = await addValue(call, row.id);
  const virtualKey = keyMessage(row, [added.row], call.now);
  return {
    ...recorded(row),
    result: { virtualKey: { ...virtualKey, ...matchesOf(selectors) }, value: added.value },
    after: virtualKey,
    invalidations: [],
  };
}

/** @throws CallError for a selector that matches nothing */
async function readSelectors(
  { db }: ReadCall,
  organizationId: string,
  { allowedModels, allowUnmatched }: Pick<UpdateVirtualKeyRequest__Output, 'allowedModels' | 'allowUnmatched'>,
): Promise<readonly WrittenSelector[] | undefined> {
  const known = await readKnownModels(db, organizationId, allowedModels);
  const read = modelSelectors(known, allowUnmatched === true);
  return checked({ allowed_models: optional(read, allowedModels) }).allowed_models;
}

/** The key that this client request id has created, if the request was the same. @throws CallError if it was another */
async function createdBefore(
  call: ChangeCall,
  organizationId: string,
  requestId: string | undefined,
  requestHash: string,
): Promise<VirtualKey | undefined> {
  if (requestId === undefined) return undefined;
  const row = await call.db
    .selectFrom('virtual_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('client_request_id', '=', requestId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.request_hash === requestHash) return keyMessage(row, await valuesOfKey(call.db, row.id), call.now);
  throw new CallError('client_request_id_taken', 'this client request id has made a key with other fields', [
    { field: 'client_request_id', description: 'was used with other fields' },
  ]);
}

export async function get(call: ReadCall, request: GetVirtualKeyRequest__Output): Promise<VirtualKey> {
  const { row, values } = await findOwnKey(call, request.id);
  const details = await readDetails(call, [row], { withSpend: true });
  return { ...keyMessage(row, values, call.now), ...details(row) };
}

export async function list(call: ReadCall, request: ListVirtualKeysRequest__Output): Promise<ListVirtualKeysResponse> {
  const { size, limit, after } = pageById(request);
  const filter = readKeyFilter(call, request);
  const { statuses } = filter;
  const selected = call.db
    .selectFrom('virtual_keys')
    .where('organization_id', '=', request.organizationId)
    .where(selectedBy(filter));
  let query = selected.selectAll().orderBy('id').limit(limit);
  if (after !== undefined) query = query.where('id', '>', after);
  if (statuses.length > 0) query = query.where(keyStatusColumn(call.now), 'in', statuses);
  else if (request.includeRevoked !== true) query = query.where('revoked_at', 'is', null);
  const rows = await query.execute();
  const values = await valuesOf(
    call.db,
    rows.map((row) => row.id),
  );
  const details = await readDetails(call, rows, { withSpend: request.withSpend === true });
  const { items, nextPageToken } = cutPage(
    rows,
    size,
    (row) => row.id,
    (row) => ({ ...keyMessage(row, values.get(row.id) ?? [], call.now), ...details(row) }),
  );
  const counts = request.withCounts === true ? await countStatuses(selected, call.now) : [];
  return { virtualKeys: items, nextPageToken, counts };
}

export async function update(call: ChangeCall, request: UpdateVirtualKeyRequest__Output): Promise<Outcome<VirtualKey>> {
  const fields = checked({
    name: optional(name, request.name),
    ends_at: clearable(time, request.endsAt),
    allowed_models: optional(modelGlobs, request.allowedModels),
    metadata: optional(metadata, request.metadata),
    priority_class: optional(wordOf(priorityClasses), request.priorityClass),
    weight: optional(weight, request.weight),
  });
  const { row: before, values } = await findKey(call.db, request.id);
  const { scope } = checked({ scope: optional(keyScope(before.organization_id), request.scope) });
  expectRevision(request.ifRevision, before.revision);
  requireNotRevoked(before);
  if (scope !== undefined) await requireMayMove(call, before, scope);
  const selectors = await readSelectors(call, before.organization_id, request);
  const columns = {
    name: fields.name ?? before.name,
    active: request.active === undefined ? before.active : flag(request.active),
    ends_at: fields.ends_at === undefined ? before.ends_at : fields.ends_at,
    allowed_models: selectors ? globsText(selectors) : before.allowed_models,
    metadata: fields.metadata ? JSON.stringify(fields.metadata) : before.metadata,
    priority_class: fields.priority_class ?? before.priority_class,
    weight: fields.weight ?? before.weight,
    ...(scope !== undefined && { scope_kind: scope.kind, scope_id: scope.id }),
  };
  if (request.purgeCaptures === true && columns.active === 1)
    throw invalidRequest([{ field: 'purge_captures', description: 'needs a key that is switched off: active false' }]);
  const purge = await purgeOf(call, before, request);
  if (purge === undefined && isSame(before, columns)) {
    return withMatches<VirtualKey>({ unchanged: keyMessage(before, values, call.now) }, selectors);
  }
  const after: KeyRow = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('virtual_keys').set(after).where('id', '=', before.id).execute();
  if (after.metadata !== before.metadata) await keepPastMetadata(call, before.id, before.metadata);
  const virtualKey: VirtualKey = keyMessage(after, values, call.now);
  const done = {
    ...recorded(before),
    result: virtualKey,
    before: keyMessage(before, values, call.now),
    after: { ...virtualKey, ...(purge && { capturesPurged: await purge() }) },
    invalidations: values.map((value) => changed(value.hash)),
  };
  return withMatches(done, selectors);
}

export async function rotate(
  call: ChangeCall,
  request: RotateVirtualKeyRequest__Output,
): Promise<Outcome<RotateVirtualKeyResponse>> {
  const { grace_seconds } = checked({
    grace_seconds: optional(within(0, graceSecondsMax), request.graceSeconds),
  });
  const { row: before, values } = await findOwnKey(call, request.id);
  await requireMayOwnKey(call, { kind: before.scope_kind, id: before.scope_id });
  requireNotRevoked(before);
  const invalidations = await endValues(call, values, call.now + (grace_seconds ?? 0) * 1000);
  const added = await addValue(call, before.id);
  const after: KeyRow = { ...before, revision: call.revision };
  await call.db.updateTable('virtual_keys').set(after).where('id', '=', before.id).execute();
  const valuesNow = await valuesOfKey(call.db, before.id);
  if (valuesNow.length > oldValuesMax + 1) {
    const message = `${oldValuesMax} older values still work; rotate with a shorter grace`;
    throw new CallError('too_many_values', message);
  }
  const virtualKey = keyMessage(after, valuesNow, call.now);
  return {
    ...recorded(before),
    result: { virtualKey, value: added.value },
    before: keyMessage(before, values, call.now),
    after: virtualKey,
    invalidations,
  };
}

export async function revoke(call: ChangeCall, request: RevokeVirtualKeyRequest__Output): Promise<Outcome<VirtualKey>> {
  const { row: before, values } = await findOwnKey(call, request.id);
  const purge = await purgeOf(call, before, request);
  if (before.revoked_at !== null) {
    const virtualKey = keyMessage(before, values, call.now);
    if (purge === undefined) return { unchanged: virtualKey };
    const after = { ...virtualKey, capturesPurged: await purge() };
    return { ...recorded(before), result: virtualKey, before: virtualKey, after, invalidations: [] };
  }
  const limitsDeleted = await deleteLimitsUnder(call, before.id);
  const invalidations = await revokeKey(call, before.id);
  const last_hint = hintOf(values) ?? '';
  const after: KeyRow = { ...before, last_hint, revoked_at: call.now, revision: call.revision };
  const virtualKey = keyMessage(after, [], call.now);
  return {
    ...recorded(before),
    result: virtualKey,
    before: keyMessage(before, values, call.now),
    after: { ...virtualKey, limitsDeleted, ...(purge && { capturesPurged: await purge() }) },
    invalidations,
  };
}

/** @returns deletes the captured content of the key, if the request demands it. @throws CallError */
async function purgeOf(
  call: ChangeCall,
  { id: keyId, organization_id: organizationId }: KeyRow,
  { purgeCaptures }: { readonly purgeCaptures?: boolean },
): Promise<(() => Promise<number>) | undefined> {
  return purgeCaptures === true ? await purgeCapturesOfKey(call, { organizationId, keyId }) : undefined;
}

/**
 * A key acts for its scope. So an admin moves no key to an owner, whose value somebody else may know, and none away
 * from one.
 * @throws CallError if the new scope does not exist, or the caller may not
 */
async function requireMayMove(call: ChangeCall, row: KeyRow, scope: KeyScope): Promise<void> {
  if (row.scope_kind === scope.kind && row.scope_id === scope.id) return;
  await requireExists(call.db, row.organization_id, { field: 'scope', ...scope });
  await requireMayOwnKey(call, { kind: row.scope_kind, id: row.scope_id });
  await requireMayOwnKey(call, scope);
}

function recorded(row: KeyRow) {
  return { organizationId: row.organization_id, target: { kind: 'virtual_key', id: row.id } };
}
