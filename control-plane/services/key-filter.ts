// Which virtual keys a list request selects, besides their statuses. A member's request selects their own keys only.
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { hourMs, minuteMs } from '../../common/durations.ts';
import type { ListVirtualKeysRequest__Output } from '../../proto/generated/gateway/v1/ListVirtualKeysRequest.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { id, nameLengthMax, time, visible } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import type { Schema } from '../store/schema.ts';
import { keyStatuses } from './key-status.ts';
import type { ReadCall } from './method.ts';
import { type KeyScope, keyScope, requireOwnScope } from './virtual-key-rows.ts';

/** @throws CallError for invalid fields, or a scope that the caller may not see */
export function readKeyFilter({ caller }: ReadCall, request: ListVirtualKeysRequest__Output) {
  const fields = checked({
    scope: optional(keyScope(request.organizationId), request.scope),
    statuses: keyStatuses(request.statuses),
    unused_since: optional(time, request.unusedSince),
    ends_after: optional(time, request.endsAfter),
    ends_before: optional(time, request.endsBefore),
    text: optional(searchText, request.text),
    created_by: optional(id, request.createdBy),
    value_sha256: optional(valueHash, request.valueSha256),
  });
  if (fields.scope !== undefined) requireOwnScope(caller, fields.scope);
  const without_playground = request.withoutPlayground === true;
  const scope: KeyScope | undefined = caller.role === 'member' ? { kind: 'person', id: caller.personId } : fields.scope;
  return { ...fields, scope, without_playground };
}

export type KeyFilter = ReturnType<typeof readKeyFilter>;

function searchText(text: string): Field<string> {
  return visible(text, nameLengthMax);
}

function valueHash(text: string): Field<string> {
  return /^[0-9a-f]{64}$/.test(text)
    ? valid(text)
    : invalid("must be the SHA-256 of the key's value in lower-case hexadecimal; never send the value");
}

/** The condition on a row of virtual_keys, without organization and statuses. */
export function selectedBy(filter: KeyFilter) {
  const { scope, unused_since, ends_after, ends_before, text, created_by, value_sha256, without_playground } = filter;
  return (where: ExpressionBuilder<Schema, 'virtual_keys'>) =>
    where.and([
      ...(scope === undefined ? [] : [where('scope_kind', '=', scope.kind), where('scope_id', '=', scope.id)]),
      ...(unused_since === undefined ? [] : [unusedSince(where, unused_since)]),
      ...(ends_after === undefined ? [] : [where('ends_at', '>=', ends_after)]),
      ...(ends_before === undefined ? [] : [where('ends_at', '<', ends_before)]),
      ...(created_by === undefined ? [] : [where('created_by', '=', created_by)]),
      ...(text === undefined ? [] : [beginsOrEnds(where, text)]),
      ...(without_playground ? [notOfPlayground(where)] : []),
      ...(value_sha256 === undefined ? [] : [where('virtual_keys.id', 'in', keyOf(where, value_sha256))]),
    ]);
}

const playgroundMetadata = JSON.stringify({ 'made-for': 'playground' });
/** An hour, and the difference between the clocks of browser and database. */
const playgroundMs = hourMs + 5 * minuteMs;

/** Metadata is the caller's own: it hides no key that lasts. */
function notOfPlayground(where: ExpressionBuilder<Schema, 'virtual_keys'>) {
  return where.or([
    where('metadata', '<>', playgroundMetadata),
    where('ends_at', 'is', null),
    where('ends_at', '>', where('created_at', '+', playgroundMs)),
  ]);
}

/** A key that is newer than the time had no chance to be used before it. */
function unusedSince(where: ExpressionBuilder<Schema, 'virtual_keys'>, at: number) {
  return where.and([
    where('created_at', '<', at),
    where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]),
  ]);
}

/** The two databases share no `like` that escapes and ignores case alike, so the beginning is cut off and compared. */
function beginsOrEnds(where: ExpressionBuilder<Schema, 'virtual_keys'>, text: string) {
  const hints = where.selectFrom('key_values').select('key_id').where('hint', '=', text);
  return where.or([
    sql<SqlBool>`lower(substr(name, 1, ${sql.lit([...text].length)})) = lower(${text})`,
    where('last_hint', '=', text),
    where('virtual_keys.id', 'in', hints),
  ]);
}

function keyOf(where: ExpressionBuilder<Schema, 'virtual_keys'>, hash: string) {
  return where.selectFrom('key_values').select('key_id').where('hash', '=', hash);
}
