// VirtualKeys.Explain: what a key may do now and what binds it, as proxies decide it from the same rows. Nothing is
// resolved at a proxy, so it says nothing of rates in use or of failing vendors.
import type { Kysely, Selectable } from 'kysely';
import { allowsModel, canonicalSelector } from '../../catalog/model-selector.ts';
import type { ExplainVirtualKeyRequest__Output } from '../../proto/generated/gateway/v1/ExplainVirtualKeyRequest.ts';
import type { ExplainVirtualKeyResponse } from '../../proto/generated/gateway/v1/ExplainVirtualKeyResponse.ts';
import { keyBlocks, limitSubjects } from '../../proto/words/access.ts';
import { guardrailActions, guardrailStages } from '../../proto/words/guardrails.ts';
import { knownModels, mayBeginWith } from '../domain/model-selector.ts';
import { isSuspended } from '../store/organization-table.ts';
import { readCallable } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { presentWindows } from './budgets.ts';
import { countsOwners, type Owners, ownerCounted, ownersOfKey } from './counter-rows.ts';
import { appliesTo, guardrailsOf } from './guardrail-rows.ts';
import { readDetails } from './key-details.ts';
import { type Holder, readHolders } from './key-holders.ts';
import { type KeyColumns, keyStatus } from './key-status.ts';
import { stopsOf } from './key-stops.ts';
import { listOf } from './known-models.ts';
import { limitMessage } from './limit-rows.ts';
import type { ReadCall } from './method.ts';
import { findOwnKey, type KeyRow, keyMessage } from './virtual-key-rows.ts';

/** Names that a response lists at most; it counts all of them. */
const listedMax = 200;

export async function explain(
  call: ReadCall,
  request: ExplainVirtualKeyRequest__Output,
): Promise<ExplainVirtualKeyResponse> {
  const { row, values } = await findOwnKey(call, request.id);
  const details = await readDetails(call, [row], { withSpend: true });
  const holders = await readHolders(call.db, row);
  const { organization } = holders;
  const lists = holders.all.map(({ globs }) => globs);
  const models = await modelsOf(call.db, organization, lists);
  const stopped = {
    organizationId: organization.id,
    callerProviderKeys: organization.caller_provider_keys === 1,
    allows: (model: string) => allowedByAll(lists, model),
    known: models.known,
    lists: lists.filter((globs) => globs.length > 0),
  };
  return {
    virtualKey: { ...keyMessage(row, values, call.now), ...details(row) },
    blocks: blocksOf(row, { ...holders, isOrganizationActive: !isSuspended(organization, call.now) }, call.now),
    callerProviderKeys: organization.caller_provider_keys === 1,
    allowLists: holders.all
      .filter(({ globs }) => globs.length > 0)
      .map(({ kind, id, name, globs }) => ({
        holder: { kind: limitSubjects.names[kind], id },
        holderName: name,
        globs: [...globs],
      })),
    ...models.shown,
    limits: await limitsOf(call, { holders: holders.all, owners: ownersOfKey(row), organizationId: organization.id }),
    guardrails: await guardrailsFor(call, row),
    ...(await routesOf(call.db, organization.id, lists)),
    stops: await stopsOf(call.db, stopped, call.now),
  };
}

interface Standing {
  readonly isOrganizationActive: boolean;
  readonly isScopeActive: boolean;
}

/** In the order in which proxies refuse. */
export function blocksOf(row: KeyColumns, { isOrganizationActive, isScopeActive }: Standing, now: number) {
  const status = keyStatus(row, now);
  return [
    ...(status === 'active' ? [] : [keyBlocks.names[status]]),
    ...(isOrganizationActive ? [] : [keyBlocks.names.organization_suspended]),
    ...(isScopeActive ? [] : [keyBlocks.names.scope_suspended]),
  ];
}

type Lists = readonly (readonly string[])[];

/** Known models that all lists allow, of providers for which there is a key. */
async function modelsOf(db: Kysely<Schema>, organization: Selectable<Schema['organizations']>, lists: Lists) {
  const custom = await readCallable(db, organization.id);
  const known = knownModels(custom.map(listOf));
  const withKey = await db
    .selectFrom('provider_keys')
    .select('provider')
    .distinct()
    .where('organization_id', '=', organization.id)
    .where('enabled', '=', 1)
    .execute();
  const configured = new Set([
    ...withKey.map(({ provider }) => provider),
    ...custom.filter(({ key_form }) => key_form === 'none').map(({ name }) => name),
  ]);
  const isConfigured = (name: string) =>
    organization.caller_provider_keys === 1 || configured.has(name.slice(0, name.indexOf('/')));
  const allowed = known.names.filter((name) => isConfigured(name) && allowedByAll(lists, name));
  const mayBeAllowed = (beginning: string) =>
    lists.every((globs) => globs.length === 0 || globs.some((glob) => mayBeginWith(glob, beginning)));
  const shown = {
    models: allowed.slice(0, listedMax),
    modelsAllowed: allowed.length,
    modelsKnown: known.names.length,
    modelsOpen: known.open.some((beginning) => isConfigured(beginning) && mayBeAllowed(beginning)),
  };
  return { shown, known: known.names };
}

function allowedByAll(lists: Lists, name: string): boolean {
  return lists.every((globs) => allowsModel(globs, name));
}

async function limitsOf(
  call: ReadCall,
  {
    holders,
    owners,
    organizationId,
  }: { readonly holders: readonly Holder[]; readonly owners: Owners; readonly organizationId: string },
) {
  const rows = await call.db
    .selectFrom('limits')
    .selectAll()
    .where(
      'subject_id',
      'in',
      holders.map(({ id }) => id),
    )
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  // A budget for each key is that of this one.
  const windows = await presentWindows(call, organizationId, ids, (row) => ownerCounted(row, owners));
  return holders.flatMap(({ id, name }) =>
    rows
      .filter((row) => row.subject_id === id && countsOwners(row, owners))
      .map((row) => {
        const window = windows.get(row.id);
        return { limit: limitMessage(row, call.now), subjectName: name, ...(window !== undefined && { window }) };
      }),
  );
}

async function guardrailsFor({ db, caller }: ReadCall, key: KeyRow) {
  const rows = await guardrailsOf(db, key.organization_id).where('enabled', '=', 1).execute();
  const aiSystemIds = key.scope_kind === 'ai_system' ? [key.scope_id] : [];
  return (
    rows
      .filter((row) => appliesTo(row, { keyId: key.id, aiSystemIds }))
      // What an organization only observes is not for those whom it observes.
      .filter(({ action }) => caller.role !== 'member' || action !== 'observe')
      .map(({ id, name, position, stage, action }) => ({
        ...{ id, name, position },
        stage: guardrailStages.names[stage],
        action: guardrailActions.names[action],
      }))
  );
}

/** `route/<name>`, or the model that a route replaces, whichever callers send. */
async function routesOf(db: Kysely<Schema>, organizationId: string, lists: Lists) {
  const rows = await db
    .selectFrom('routes')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('id')
    .execute();
  const allowed = rows
    .map(({ name }) => (name.includes('/') ? canonicalSelector(name) : `route/${name}`))
    .filter((name) => allowedByAll(lists, name));
  return { routes: allowed.slice(0, listedMax), routesAllowed: allowed.length };
}
