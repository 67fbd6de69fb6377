// Guardrails: how an organization's requests and responses are inspected. Enabled guardrails are part of the
// organization's record, so the change feed names that record when one changes. A webhook's secret is returned when it
// is created, and never again.
import type { Kysely } from 'kysely';
import { isUuid, uuidv7 } from '../../common/uuid.ts';
import { createWebhookSecret } from '../../common/webhook-signature.ts';
import type { CreateGuardrailRequest__Output } from '../../proto/generated/gateway/v1/CreateGuardrailRequest.ts';
import type { CreateGuardrailResponse } from '../../proto/generated/gateway/v1/CreateGuardrailResponse.ts';
import type { DeleteGuardrailRequest__Output } from '../../proto/generated/gateway/v1/DeleteGuardrailRequest.ts';
import type { DeleteGuardrailResponse } from '../../proto/generated/gateway/v1/DeleteGuardrailResponse.ts';
import type { GetGuardrailRequest__Output } from '../../proto/generated/gateway/v1/GetGuardrailRequest.ts';
import type { Guardrail } from '../../proto/generated/gateway/v1/Guardrail.ts';
import type { ListGuardrailsRequest__Output } from '../../proto/generated/gateway/v1/ListGuardrailsRequest.ts';
import type { ListGuardrailsResponse } from '../../proto/generated/gateway/v1/ListGuardrailsResponse.ts';
import type { RotateGuardrailSecretRequest__Output } from '../../proto/generated/gateway/v1/RotateGuardrailSecretRequest.ts';
import type { RotateGuardrailSecretResponse } from '../../proto/generated/gateway/v1/RotateGuardrailSecretResponse.ts';
import type { UpdateGuardrailRequest__Output } from '../../proto/generated/gateway/v1/UpdateGuardrailRequest.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import {
  aiSystemIds,
  guardrailMessage as callersMessage,
  failureRule,
  failureRuleOrBlock,
  fitting,
  guardedKeyIds,
  guardrailAction,
  guardrailName,
  guardrailPosition,
  guardrailPositionDefault,
  guardrailStage,
} from '../domain/guardrail.ts';
import {
  type GuardrailCheck,
  guardrailCheck,
  isCompiled,
  sameKindOfCheck,
  textBytesOf,
} from '../domain/guardrail-check.ts';
import { type CredentialText, leadsElsewhere, serviceCredential } from '../domain/service-check.ts';
import { sealWebhookSecret } from '../domain/webhook.ts';
import { checkOf } from '../guardrails/stored-check.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { NameTakenError } from '../store/store.ts';
import { flag, isSame } from './columns.ts';
import {
  aiSystemIdsOf,
  type GuardrailRow,
  guardrailInAudit,
  guardrailMessage,
  guardrailsOf,
  keyIdsOf,
  requireAiSystems,
  requireKeys,
  secretBinding,
} from './guardrail-rows.ts';
import type { ChangeCall, Outcome, OutsideCall, ReadCall } from './method.ts';
import { organizationChanged } from './organizations.ts';

/** For one organization, because every request is inspected by all of them. */
export const guardrailsMax = 32;
/**
 * UTF-8 size of all phrases and patterns of one organization. They must fit into one message with the rest of its
 * record.
 */
export const guardrailTextBytesMax = 256 * 1024;

/** Compiles the check if it needs that and all other fields are valid. @throws CallError */
export async function prepareCreate(call: OutsideCall, request: CreateGuardrailRequest__Output): Promise<void> {
  if (request.check === null || !isCompiled(request.check)) return;
  const check = await call.read(async (db) => {
    const fields = createdFields(request);
    await requireRoom(db, createdRow(request, fields, { now: call.now, revision: 0 }));
    return fields.check;
  });
  await requireCompiles(call, check);
}

export async function create(
  call: ChangeCall,
  request: CreateGuardrailRequest__Output,
): Promise<Outcome<CreateGuardrailResponse>> {
  const fields = createdFields(request);
  const secret = fields.check.kind === 'webhook' ? createWebhookSecret() : undefined;
  const kept = secret ?? credentialText(fields.credential);
  const row = sealed(call, kept, createdRow(request, fields, call));
  await requireFits(call.db, row);
  await call.db.insertInto('guardrails').values(row).execute();
  const result = { guardrail: guardrailMessage(row), ...(secret !== undefined && { secret }) };
  return { ...recorded(row), result, after: guardrailInAudit(row) };
}

/** @throws CallError for wrong fields */
function createdFields(request: CreateGuardrailRequest__Output) {
  return checked({
    name: guardrailName(request.name),
    position: optional(guardrailPosition, request.position),
    stage: guardrailStage(request.stage),
    action: guardrailAction(request.action),
    on_failure: failureRuleOrBlock(request.onFailure),
    message: callersMessage(request.message),
    ai_system_ids: aiSystemIds(request.aiSystemIds),
    key_ids: guardedKeyIds(request.keyIds),
    check: guardrailCheck(request.check),
    credential: serviceCredential(request.check ?? undefined, request.credential),
  });
}

function createdRow(
  request: CreateGuardrailRequest__Output,
  fields: ReturnType<typeof createdFields>,
  { now, revision }: Pick<ChangeCall, 'now' | 'revision'>,
): GuardrailRow {
  return {
    id: uuidv7(now),
    organization_id: request.organizationId,
    name: fields.name,
    enabled: flag(request.enabled ?? true),
    position: fields.position ?? guardrailPositionDefault,
    stage: fields.stage,
    action: fields.action,
    on_failure: fields.on_failure,
    message: fields.message,
    ai_system_ids: JSON.stringify(fields.ai_system_ids),
    key_ids: JSON.stringify(fields.key_ids),
    check_message: JSON.stringify(fields.check.message),
    text_bytes: textBytesOf(fields.check.message),
    secret: null,
    secret_version: 0,
    created_at: now,
    revision,
  };
}

/**
 * Checks early what the change would find out itself, including by its unique index.
 * @throws CallError, NameTakenError
 */
async function requireRoom(db: Kysely<Schema>, row: GuardrailRow): Promise<void> {
  await requireFits(db, row);
  const taken = await db
    .selectFrom('guardrails')
    .select('id')
    .where('organization_id', '=', row.organization_id)
    .where('name', '=', row.name)
    .where('id', '!=', row.id)
    .executeTakeFirst();
  if (taken !== undefined) throw new NameTakenError('guardrails_name_unique');
}

/** @throws CallError */
async function requireCompiles({ deps, owner }: OutsideCall, check: GuardrailCheck): Promise<void> {
  const problems = await deps.guardrailWork.compile(owner, check);
  checked({ check: problems.length === 0 ? valid(undefined) : { problems } });
}

export async function get(call: ReadCall, request: GetGuardrailRequest__Output): Promise<Guardrail> {
  return guardrailMessage(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListGuardrailsRequest__Output): Promise<ListGuardrailsResponse> {
  const { size, limit, after } = pageBy(request, readListKey);
  let query = guardrailsOf(call.db, request.organizationId).limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('position', 'id'), '>', tuple(...after)));
  }
  const listKey = ({ position, id }: GuardrailRow) => `${position} ${id}`;
  const { items, nextPageToken } = cutPage(await query.execute(), size, listKey, guardrailMessage);
  return { guardrails: items, nextPageToken };
}

/** Like prepareCreate, if the request changes the check. @throws CallError */
export async function prepareUpdate(call: OutsideCall, request: UpdateGuardrailRequest__Output): Promise<void> {
  if (!request.check || !isCompiled(request.check)) return;
  const check = await call.read(async (db) => {
    const before = await find(db, request.id);
    const { check, credential: _credential, ...columns } = changed(request, before);
    expectRevision(request.ifRevision, before.revision);
    if (columns.check_message === before.check_message) return undefined;
    await requireRoom(db, { ...before, ...columns });
    return check;
  });
  if (check !== undefined) await requireCompiles(call, check);
}

export async function update(call: ChangeCall, request: UpdateGuardrailRequest__Output): Promise<Outcome<Guardrail>> {
  const before = await find(call.db, request.id);
  const { check: _check, credential, ...columns } = changed(request, before);
  expectRevision(request.ifRevision, before.revision);
  if (isSame(before, columns) && credential === undefined) return { unchanged: guardrailMessage(before) };
  const after = sealed(call, credentialText(credential), { ...before, ...columns, revision: call.revision });
  await requireFits(call.db, after);
  await call.db.updateTable('guardrails').set(after).where('id', '=', before.id).execute();
  return {
    ...recorded(before),
    result: guardrailMessage(after),
    before: guardrailInAudit(before),
    after: guardrailInAudit(after),
  };
}

export async function rotateSecret(
  call: ChangeCall,
  request: RotateGuardrailSecretRequest__Output,
): Promise<Outcome<RotateGuardrailSecretResponse>> {
  const before = await find(call.db, request.id);
  if (before.secret === null || !checkOf(before).webhook) {
    throw invalidRequest([{ field: 'id', description: 'must be of a guardrail with a webhook' }]);
  }
  const secret = createWebhookSecret();
  const after = sealed(call, secret, { ...before, revision: call.revision });
  await call.db.updateTable('guardrails').set(after).where('id', '=', before.id).execute();
  return {
    ...recorded(before),
    result: { secret },
    before: guardrailInAudit(before),
    after: guardrailInAudit(after),
  };
}

export async function remove(
  call: ChangeCall,
  request: DeleteGuardrailRequest__Output,
): Promise<Outcome<DeleteGuardrailResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('guardrails').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: guardrailInAudit(row) };
}

/** @throws CallError for wrong fields */
function changed(request: UpdateGuardrailRequest__Output, before: GuardrailRow) {
  const fields = checked({
    name: optional(guardrailName, request.name),
    position: optional(guardrailPosition, request.position),
    stage: optional(guardrailStage, request.stage),
    action: optional(guardrailAction, request.action),
    on_failure: optional(failureRule, request.onFailure),
    message: optional(callersMessage, request.message),
    'ai_systems.ids': optional(aiSystemIds, request.aiSystems?.ids),
    key_ids: optional(guardedKeyIds, request.keys?.ids),
    check: optional(sameKindOfCheck(checkOf(before)), request.check),
    credential: changedCredential(request, before),
  });
  const ids = fields['ai_systems.ids'];
  return {
    check: fields.check,
    credential: fields.credential,
    name: fields.name ?? before.name,
    enabled: request.enabled === undefined ? before.enabled : flag(request.enabled),
    position: fields.position ?? before.position,
    stage: fields.stage ?? before.stage,
    action: fields.action ?? before.action,
    on_failure: fields.on_failure ?? before.on_failure,
    message: fields.message ?? before.message,
    ai_system_ids: ids === undefined ? before.ai_system_ids : JSON.stringify(ids),
    key_ids: fields.key_ids === undefined ? before.key_ids : JSON.stringify(fields.key_ids),
    check_message: fields.check === undefined ? before.check_message : JSON.stringify(fields.check.message),
    text_bytes: fields.check === undefined ? before.text_bytes : textBytesOf(fields.check.message),
  };
}

/** The credential stays unchanged, unless it would be sent to a host that the operator who set it has not seen. */
function changedCredential(
  { check, credential }: UpdateGuardrailRequest__Output,
  before: GuardrailRow,
): Field<CredentialText | undefined> {
  const present = checkOf(before);
  const after = check?.service ? check : present;
  if (credential) return serviceCredential(after, credential);
  return before.secret !== null && check?.service && leadsElsewhere(present, check)
    ? invalid('has to be sent again: the check leads to another host')
    : valid(undefined);
}

/** The text that is sealed. */
function credentialText(credential: CredentialText | undefined): string | undefined {
  return credential && JSON.stringify(credential);
}

/** Seals a new secret, with a new version. */
function sealed({ deps }: ChangeCall, secret: string | undefined, row: GuardrailRow): GuardrailRow {
  if (secret === undefined) return row;
  const versioned = { ...row, secret_version: row.secret_version + 1 };
  return { ...versioned, secret: sealWebhookSecret(deps.masterKeys, secretBinding(versioned), secret) };
}

/** Checks the guardrail alone, and together with the organization's others. @throws CallError */
async function requireFits(db: Kysely<Schema>, row: GuardrailRow): Promise<void> {
  checked(fitting(row, checkOf(row)));
  const { organization_id: organizationId } = row;
  await requireAiSystems(db, { field: 'ai_system_ids', organizationId, ids: aiSystemIdsOf(row) });
  await requireKeys(db, { field: 'key_ids', organizationId, ids: keyIdsOf(row) });
  const others = await db
    .selectFrom('guardrails')
    .select('text_bytes')
    .where('organization_id', '=', row.organization_id)
    .where('id', '!=', row.id)
    .execute();
  if (others.length >= guardrailsMax) {
    throw tooMany(`there are ${guardrailsMax} already; delete one that is not needed`);
  }
  const bytes = others.reduce((sum, other) => sum + other.text_bytes, row.text_bytes);
  if (bytes > guardrailTextBytesMax) {
    const allowed = `${guardrailTextBytesMax / 1024} KiB`;
    throw tooMany(`the phrases and patterns of all guardrails would be ${bytes} bytes; at most ${allowed}`);
  }
}

function tooMany(message: string): CallError {
  return new CallError('too_many_guardrails', message);
}

async function find(db: Kysely<Schema>, id: string): Promise<GuardrailRow> {
  const row = await db.selectFrom('guardrails').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function recorded(row: GuardrailRow) {
  return {
    organizationId: row.organization_id,
    target: { kind: 'guardrail', id: row.id },
    invalidations: [organizationChanged(row.organization_id)],
  };
}

type ListKey = readonly [position: number, id: string];

function readListKey(text: string): ListKey | undefined {
  const [position = '', id = '', ...more] = text.split(' ');
  return /^\d{1,4}$/.test(position) && isUuid(id) && more.length === 0 ? [Number(position), id] : undefined;
}
