// AI systems: the applications of an organization. Each is a scope that keys can belong to.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { AiSystem } from '../../proto/generated/gateway/v1/AiSystem.ts';
import type { CreateAiSystemRequest__Output } from '../../proto/generated/gateway/v1/CreateAiSystemRequest.ts';
import type { DeleteAiSystemRequest__Output } from '../../proto/generated/gateway/v1/DeleteAiSystemRequest.ts';
import type { DeleteAiSystemResponse } from '../../proto/generated/gateway/v1/DeleteAiSystemResponse.ts';
import type { GetAiSystemRequest__Output } from '../../proto/generated/gateway/v1/GetAiSystemRequest.ts';
import type { ListAiSystemsRequest__Output } from '../../proto/generated/gateway/v1/ListAiSystemsRequest.ts';
import type { ListAiSystemsResponse } from '../../proto/generated/gateway/v1/ListAiSystemsResponse.ts';
import type { UpdateAiSystemRequest__Output } from '../../proto/generated/gateway/v1/UpdateAiSystemRequest.ts';
import { optional } from '../domain/field.ts';
import { modelSelectors } from '../domain/model-selector.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { flag, globsOf, globsText, isSame } from './columns.ts';
import { takeOutAiSystem } from './guardrail-rows.ts';
import { revokeKeysOfScope } from './key-values.ts';
import { readKnownModels } from './known-models.ts';
import { deleteLimitsUnder } from './limit-rows.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { withMatches } from './selector-check.ts';

type Row = Selectable<Schema['ai_systems']>;

export async function create(call: ChangeCall, request: CreateAiSystemRequest__Output): Promise<Outcome<AiSystem>> {
  const known = await readKnownModels(call.db, request.organizationId, request.allowedModels);
  const fields = checked({
    name: name(request.name),
    allowed_models: optional(modelSelectors(known, request.allowUnmatched === true), request.allowedModels),
  });
  const row: Row = {
    id: uuidv7(call.now),
    organization_id: request.organizationId,
    name: fields.name,
    active: 1,
    allowed_models: globsText(fields.allowed_models ?? []),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('ai_systems').values(row).execute();
  const made = { ...recorded(row), result: message(row), after: message(row), invalidations: [] };
  return withMatches<AiSystem>(made, fields.allowed_models);
}

export async function get(call: ReadCall, request: GetAiSystemRequest__Output): Promise<AiSystem> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListAiSystemsRequest__Output): Promise<ListAiSystemsResponse> {
  const query = call.db.selectFrom('ai_systems').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { aiSystems: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateAiSystemRequest__Output): Promise<Outcome<AiSystem>> {
  const before = await find(call.db, request.id);
  const known = await readKnownModels(call.db, before.organization_id, request.allowedModels);
  const fields = checked({
    name: optional(name, request.name),
    allowed_models: optional(modelSelectors(known, request.allowUnmatched === true), request.allowedModels),
  });
  expectRevision(request.ifRevision, before.revision);
  const columns = {
    name: fields.name ?? before.name,
    active: request.active === undefined ? before.active : flag(request.active),
    allowed_models: fields.allowed_models ? globsText(fields.allowed_models) : before.allowed_models,
  };
  if (isSame(before, columns)) {
    return withMatches<AiSystem>({ unchanged: message(before) }, fields.allowed_models);
  }
  const after: Row = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('ai_systems').set(after).where('id', '=', before.id).execute();
  const changed: Outcome<AiSystem> = {
    ...recorded(before),
    result: message(after),
    before: message(before),
    after: message(after),
    invalidations: [{ kind: 'ai_system', ref: before.id, state: 'changed' }],
  };
  return withMatches(changed, fields.allowed_models);
}

export async function remove(
  call: ChangeCall,
  request: DeleteAiSystemRequest__Output,
): Promise<Outcome<DeleteAiSystemResponse>> {
  const row = await find(call.db, request.id);
  const limitsDeleted = await deleteLimitsUnder(call, row.id);
  const { keysRevoked, invalidations } = await revokeKeysOfScope(call, 'ai_system', row.id);
  const guardrails = await takeOutAiSystem(call, row.organization_id, row.id);
  await call.db.deleteFrom('ai_systems').where('id', '=', row.id).execute();
  return {
    ...recorded(row),
    result: { keysRevoked },
    before: message(row),
    after: { keysRevoked, limitsDeleted, ...guardrails.after },
    invalidations: [...invalidations, ...guardrails.invalidations, { kind: 'ai_system', ref: row.id, state: 'gone' }],
  };
}

async function find(db: Kysely<Schema>, id: string): Promise<Row> {
  const row = await db.selectFrom('ai_systems').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function recorded(row: Row) {
  return { organizationId: row.organization_id, target: { kind: 'ai_system', id: row.id } };
}

function message(row: Row) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    active: row.active === 1,
    allowedModels: globsOf('ai_systems', row),
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies AiSystem;
}
