// Organizations: platform operators create and suspend them; their owners and admins manage them.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateOrganizationRequest__Output } from '../../proto/generated/gateway/v1/CreateOrganizationRequest.ts';
import type { CreateOrganizationResponse } from '../../proto/generated/gateway/v1/CreateOrganizationResponse.ts';
import type { GetOrganizationRequest__Output } from '../../proto/generated/gateway/v1/GetOrganizationRequest.ts';
import type { ListOrganizationsRequest__Output } from '../../proto/generated/gateway/v1/ListOrganizationsRequest.ts';
import type { ListOrganizationsResponse } from '../../proto/generated/gateway/v1/ListOrganizationsResponse.ts';
import type { Organization } from '../../proto/generated/gateway/v1/Organization.ts';
import type { SetOrganizationWeightRequest__Output } from '../../proto/generated/gateway/v1/SetOrganizationWeightRequest.ts';
import type { SuspendOrganizationRequest__Output } from '../../proto/generated/gateway/v1/SuspendOrganizationRequest.ts';
import type { UpdateOrganizationSettingsRequest__Output } from '../../proto/generated/gateway/v1/UpdateOrganizationSettingsRequest.ts';
import { hangUps, unknownCosts } from '../../proto/words/access.ts';
import { wordOf } from '../domain/enum-names.ts';
import { optional } from '../domain/field.ts';
import { modelAliases } from '../domain/model-aliases.ts';
import { modelSelectors } from '../domain/model-selector.ts';
import { email, name, timeText, usualWeight, weight, within } from '../domain/shared-fields.ts';
import { publicReason, timeAfter } from '../domain/stop.ts';
import { tagNames } from '../domain/tag-names.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { AccessOrganizationRow } from '../store/access-rows.ts';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';
import type { Invalidation } from '../store/store.ts';
import { aliasesOf, flag, globsOf, globsText, isSame, tagNamesOf } from './columns.ts';
import { readKnownModels } from './known-models.ts';
import { requireTagsOfLimits } from './limit-tags.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { issueOperatorToken } from './operator-tokens.ts';
import { insertPerson, personMessage } from './people.ts';
import { insertRecordKey } from './record-keys.ts';
import { requireNoRoutes } from './route-rows.ts';
import { withMatches } from './selector-check.ts';
import { freeSlug } from './sign-in-settings.ts';

type Row = Selectable<Schema['organizations']>;

/** How long rows of requests are kept. */
const requestDays = { usual: 30, max: 400 };

/** An unspecified enum value means that the field does not change. */
function textOf(name: string | undefined): string | undefined {
  return name?.endsWith('_UNSPECIFIED') === true ? undefined : name;
}

export async function create(
  call: ChangeCall,
  request: CreateOrganizationRequest__Output,
): Promise<Outcome<CreateOrganizationResponse>> {
  const fields = checked({
    name: name(request.name),
    'owner.name': name(request.owner?.name ?? ''),
    'owner.email': optional(email, request.owner?.email),
  });
  const row: Row = {
    id: uuidv7(call.now),
    name: fields.name,
    slug: await freeSlug(call.db, fields.name),
    suspended: 0,
    suspended_reason: null,
    suspended_ends_at: null,
    caller_provider_keys: 0,
    hang_up: 'cancel',
    unknown_cost: 'hold',
    model_aliases: '[]',
    own_tool_egress: 0,
    own_tool_execution: 0,
    stored_responses: 1,
    background_responses: 0,
    safety_identifier: 0,
    priced_options: 1,
    request_days: requestDays.usual,
    tag_names: '[]',
    weight: usualWeight,
    allowed_models: globsText([]),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('organizations').values(row).execute();
  await insertRecordKey(call.db, call.deps.masterKeys, { organizationId: row.id, generation: 1, now: call.now });
  const owner = await insertPerson(call, {
    organizationId: row.id,
    name: fields['owner.name'],
    email: fields['owner.email'] ?? null,
    role: 'owner',
    allowedModels: [],
  });
  const token = await issueOperatorToken(call, { personId: owner.id, name: 'first token' });
  const organization = organizationMessage(row, call.now);
  return {
    result: { organization, owner: personMessage(owner), ownerToken: token.value },
    organizationId: row.id,
    target: { kind: 'organization', id: row.id },
    after: { organization, owner: personMessage(owner) },
    invalidations: [],
  };
}

export async function get(call: ReadCall, request: GetOrganizationRequest__Output): Promise<Organization> {
  return organizationMessage(await findOrganization(call.db, request.id), call.now);
}

export async function list(
  call: ReadCall,
  request: ListOrganizationsRequest__Output,
): Promise<ListOrganizationsResponse> {
  let query = call.db.selectFrom('organizations').selectAll();
  const own = call.caller.organizationId;
  if (own !== undefined) query = query.where('id', '=', own);
  const { items, nextPageToken } = await pageOf(query, request, (row) => organizationMessage(row, call.now));
  return { organizations: items, nextPageToken };
}

export async function update(
  call: ChangeCall,
  request: UpdateOrganizationSettingsRequest__Output,
): Promise<Outcome<Organization>> {
  const aliases = request.settings?.models?.aliases;
  const known = await readKnownModels(call.db, request.id, request.allowedModels ?? aliases);
  const fields = checked({
    name: optional(name, request.name),
    allowed_models: optional(modelSelectors(known, request.allowUnmatched === true), request.allowedModels),
    'settings.models.aliases': optional(modelAliases(known, request.allowUnmatched === true), aliases),
    'settings.requests.retention_days': optional(within(0, requestDays.max), request.settings?.requests?.retentionDays),
    'settings.tags.names': optional(tagNames, request.settings?.tags?.names),
    'settings.cost.hang_up': optional(wordOf(hangUps), textOf(request.settings?.cost?.hangUp)),
    'settings.cost.unknown_cost': optional(wordOf(unknownCosts), textOf(request.settings?.cost?.unknownCost)),
  });
  const before = await findOrganization(call.db, request.id);
  expectRevision(request.ifRevision, before.revision);
  const newAliases = fields['settings.models.aliases'];
  const newTags = fields['settings.tags.names'];
  await requireNoRoutes(call.db, before.id, newAliases ?? []);
  if (newTags !== undefined) await requireTagsOfLimits(call.db, before.id, newTags);
  const { access, ownTools, responses, pricedOptions } = request.settings ?? {};
  const outcome = await write(call, before, {
    name: fields.name ?? before.name,
    allowed_models: fields.allowed_models ? globsText(fields.allowed_models) : before.allowed_models,
    caller_provider_keys: flagOr(before.caller_provider_keys, access?.callerProviderKeys),
    hang_up: fields['settings.cost.hang_up'] ?? before.hang_up,
    unknown_cost: fields['settings.cost.unknown_cost'] ?? before.unknown_cost,
    model_aliases: newAliases ? JSON.stringify(newAliases) : before.model_aliases,
    own_tool_egress: flagOr(before.own_tool_egress, ownTools?.egress),
    own_tool_execution: flagOr(before.own_tool_execution, ownTools?.execution),
    stored_responses: flagOr(before.stored_responses, responses?.stored),
    background_responses: flagOr(before.background_responses, responses?.background),
    safety_identifier: flagOr(before.safety_identifier, responses?.safetyIdentifier),
    priced_options: flagOr(before.priced_options, pricedOptions?.allowed),
    request_days: fields['settings.requests.retention_days'] ?? before.request_days,
    tag_names: newTags ? JSON.stringify(newTags) : before.tag_names,
  });
  return withMatches(outcome, fields.allowed_models);
}

function flagOr(before: 0 | 1, value: boolean | undefined): 0 | 1 {
  return value === undefined ? before : flag(value);
}

/** Replaces the reason and the end of a suspension. */
export async function suspend(
  call: ChangeCall,
  request: SuspendOrganizationRequest__Output,
): Promise<Outcome<Organization>> {
  const fields = checked({
    reason: optional(publicReason, request.reason),
    ends_at: optional(timeAfter(call.now), request.endsAt),
  });
  return await write(call, await findOrganization(call.db, request.id), {
    suspended: 1,
    suspended_reason: fields.reason ?? null,
    suspended_ends_at: fields.ends_at ?? null,
  });
}

export async function resume(call: ChangeCall, request: { readonly id: string }): Promise<Outcome<Organization>> {
  const columns = { suspended: 0, suspended_reason: null, suspended_ends_at: null } as const;
  return await write(call, await findOrganization(call.db, request.id), columns);
}

export async function setWeight(
  call: ChangeCall,
  request: SetOrganizationWeightRequest__Output,
): Promise<Outcome<Organization>> {
  const fields = checked({ weight: weight(request.weight) });
  const before = await findOrganization(call.db, request.id);
  expectRevision(request.ifRevision, before.revision);
  return await write(call, before, fields);
}

async function write(call: ChangeCall, before: Row, columns: Partial<Row>): Promise<Outcome<Organization>> {
  const { now } = call;
  if (isSame(before, columns)) return { unchanged: organizationMessage(before, now) };
  const after = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('organizations').set(after).where('id', '=', before.id).execute();
  return {
    result: organizationMessage(after, now),
    organizationId: before.id,
    target: { kind: 'organization', id: before.id },
    before: organizationMessage(before, now),
    after: organizationMessage(after, now),
    invalidations: [organizationChanged(before.id)],
  };
}

export function organizationChanged(id: string): Invalidation {
  return { kind: 'organization', ref: id, state: 'changed' };
}

async function findOrganization(db: Kysely<Schema>, id: string): Promise<Row> {
  const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function organizationMessage(row: Row, now: number) {
  return {
    id: row.id,
    name: row.name,
    ...suspensionOf(row, now),
    settings: {
      access: { callerProviderKeys: row.caller_provider_keys === 1 },
      cost: { hangUp: hangUps.names[row.hang_up], unknownCost: unknownCosts.names[row.unknown_cost] },
      models: { aliases: { aliases: aliasesOf(row) } },
      ...requestSettings(row),
      requests: { retentionDays: row.request_days },
      tags: { names: { names: [...tagNamesOf(row)] } },
    },
    allowedModels: globsOf('organizations', row),
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
    weight: row.weight,
    slug: row.slug ?? '',
  } satisfies Organization;
}

function suspensionOf(row: Row, now: number) {
  if (!isSuspended(row, now)) return { suspended: false };
  const { suspended_reason: suspendedReason, suspended_ends_at: endsAt } = row;
  return {
    suspended: true,
    ...(suspendedReason !== null && { suspendedReason }),
    ...(endsAt !== null && { suspendedEndsAt: timeText(endsAt) }),
  };
}

/** What requests may have, as an organization and its record contain it. */
export function requestSettings(row: AccessOrganizationRow) {
  return {
    ownTools: { egress: row.own_tool_egress === 1, execution: row.own_tool_execution === 1 },
    responses: {
      stored: row.stored_responses === 1,
      background: row.background_responses === 1,
      safetyIdentifier: row.safety_identifier === 1,
    },
    pricedOptions: { allowed: row.priced_options === 1 },
  };
}
