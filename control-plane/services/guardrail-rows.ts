// One guardrail: its row, its forms for operators, proxies and the audit log, and its change when an AI system is
// deleted.
import type { Kysely, Selectable } from 'kysely';
import type { Logger } from '../../common/logger.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Guardrail } from '../../proto/generated/gateway/v1/Guardrail.ts';
import type { GuardrailRecord } from '../../proto/generated/gateway/v1/GuardrailRecord.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { failureRules, guardrailActions, guardrailStages } from '../../proto/words/guardrails.ts';
import { checkInAudit } from '../domain/guardrail-check.ts';
import type { CredentialText } from '../domain/service-check.ts';
import { timeText } from '../domain/shared-fields.ts';
import { unsealWebhookSecret } from '../domain/webhook.ts';
import { checkOf } from '../guardrails/stored-check.ts';
import { invalidRequest } from '../rpc/checked.ts';
import type { AccessGuardrailRow } from '../store/access-rows.ts';
import { jsonColumn, readColumn, strings } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { Invalidation } from '../store/store.ts';
import type { ChangeCall } from './method.ts';
import { organizationChanged } from './organizations.ts';

export type GuardrailRow = Selectable<Schema['guardrails']>;

/** In the order in which they are applied. */
export function guardrailsOf(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('guardrails')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .orderBy('id');
}

export interface GuardrailRecordsDeps {
  readonly sealKeys: SealKeys;
  readonly log: Logger;
}

/** The guardrail as its organization's record contains it. */
export function guardrailRecord(deps: GuardrailRecordsDeps, row: AccessGuardrailRow): GuardrailRecord {
  return { ...shared(row), ...secretOf(deps, row) };
}

/**
 * A webhook cannot be called without its secret, nor a service without its credential. Proxies treat such a check as
 * failed; the others still work.
 */
function secretOf(
  { sealKeys, log }: GuardrailRecordsDeps,
  row: AccessGuardrailRow,
): Pick<GuardrailRecord, 'secret' | 'credential'> {
  if (row.secret === null) return {};
  const secret = unsealWebhookSecret(sealKeys, secretBinding(row), row.secret);
  // An authenticated secret of a service was written as a credential.
  if (secret !== undefined)
    return checkOf(row).service
      ? { credential: readColumn(secret, theCredential, `guardrails.secret of ${row.id}`) }
      : { secret };
  log.error(
    { guardrail: row.id },
    'the secret of a guardrail cannot be unsealed; is its master key among those given?',
  );
  return {};
}

/** The row that the secret of a guardrail's webhook is bound to. */
export function secretBinding(row: Pick<GuardrailRow, 'id' | 'organization_id' | 'secret_version'>) {
  return { organizationId: row.organization_id, webhookId: row.id, version: row.secret_version };
}

export function guardrailMessage(row: GuardrailRow) {
  return {
    ...shared(row),
    organizationId: row.organization_id,
    enabled: row.enabled === 1,
    createdAt: timeText(row.created_at),
    hasCredential: row.secret !== null && Boolean(checkOf(row).service),
  } satisfies Guardrail;
}

/** For the audit log, with only the number of phrases and patterns. */
export function guardrailInAudit(row: GuardrailRow): object {
  return { ...guardrailMessage(row), check: checkInAudit(checkOf(row)) };
}

const theCredential = aMessage<CredentialText>('ServiceCredential');
export const aiSystemIdsOf = jsonColumn('guardrails', 'ai_system_ids', strings);

export const keyIdsOf = jsonColumn('guardrails', 'key_ids', strings);

export interface GuardedCaller {
  readonly keyId: string | undefined;
  /** AI systems of its keys. */
  readonly aiSystemIds: readonly (string | undefined)[];
}

/** Whether the guardrail is for requests of this caller, in whichever stage. */
export function appliesTo(row: GuardrailRow, { keyId, aiSystemIds }: GuardedCaller): boolean {
  const [systems, keys] = [aiSystemIdsOf(row), keyIdsOf(row)];
  return (
    systems.length + keys.length === 0 ||
    aiSystemIds.some((one) => one !== undefined && systems.includes(one)) ||
    (keyId !== undefined && keys.includes(keyId))
  );
}

function shared(row: AccessGuardrailRow) {
  return {
    id: row.id,
    name: row.name,
    position: row.position,
    stage: guardrailStages.names[row.stage],
    action: guardrailActions.names[row.action],
    onFailure: failureRules.names[row.on_failure],
    message: row.message,
    aiSystemIds: aiSystemIdsOf(row),
    keyIds: keyIdsOf(row),
    check: checkOf(row),
    revision: String(row.revision),
  };
}

export interface NamedAiSystems {
  readonly field: string;
  readonly organizationId: string;
  readonly ids: readonly string[];
}

/** @throws CallError unless all belong to the organization */
export async function requireAiSystems(
  db: Kysely<Schema>,
  { field, organizationId, ids }: NamedAiSystems,
): Promise<void> {
  if (ids.length === 0) return;
  const found = await db
    .selectFrom('ai_systems')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  if (found.length === ids.length) return;
  throw invalidRequest([{ field, description: 'must be of AI systems of the organization' }]);
}

/**
 * Reports each wrong id by its index, because a mistyped id would leave a key without the guardrail.
 * @throws CallError
 */
export async function requireKeys(db: Kysely<Schema>, { field, organizationId, ids }: NamedAiSystems): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom('virtual_keys')
    .select(['id', 'revoked_at'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const found = new Set(rows.map(({ id }) => id));
  const wrong = ids.flatMap((id, index) =>
    found.has(id) ? [] : [{ field: `${field}[${index}]`, description: 'must be a virtual key of the organization' }],
  );
  if (wrong.length > 0) throw invalidRequest(wrong);
}

export interface AiSystemTakenOut {
  /** For the audit event. */
  readonly after: object;
  readonly invalidations: readonly Invalidation[];
}

/**
 * Removes a deleted AI system from guardrails. A guardrail of that system only is disabled, because otherwise it would
 * apply to the whole organization.
 */
export async function takeOutAiSystem(
  { db, revision }: ChangeCall,
  organizationId: string,
  aiSystemId: string,
): Promise<AiSystemTakenOut> {
  const rows = await guardrailsOf(db, organizationId).execute();
  const narrowed = rows.filter((row) => aiSystemIdsOf(row).includes(aiSystemId));
  if (narrowed.length === 0) return { after: {}, invalidations: [] };
  const disabled: string[] = [];
  for (const row of narrowed) {
    const others = aiSystemIdsOf(row).filter((id) => id !== aiSystemId);
    const isLast = others.length === 0 && keyIdsOf(row).length === 0;
    if (isLast && row.enabled === 1) disabled.push(row.id);
    const columns = {
      ai_system_ids: JSON.stringify(others),
      revision,
      ...(isLast && { enabled: 0 as const }),
    };
    await db.updateTable('guardrails').set(columns).where('id', '=', row.id).execute();
  }
  return {
    after: { guardrailsNarrowed: narrowed.length, guardrailsDisabled: disabled },
    invalidations: [organizationChanged(organizationId)],
  };
}
