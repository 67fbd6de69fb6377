// The limits on rates that apply to a call: those of the organization, of the key and its scope, and of the project key and its
// scope where one came with it, as far as they are for its model.
import { matchesGlob } from '../../common/model-glob.ts';
import type { Caller } from '../access/authenticator.ts';
import type { Limit, Principal, ScopeKind } from '../access/principal.ts';
import type { ChatCall } from '../chat/call.ts';
import type { RateLimit } from './rates/rates.ts';

export type LimitLevel = ScopeKind | 'virtual_key';

export interface AppliedLimit extends RateLimit {
  readonly level: LimitLevel;
  /** The glob that it is for, where it is not for all models. */
  readonly model: string | undefined;
}

/** None twice: both keys may be of one scope, and one key may be sent as both. */
export function appliedLimits({
  caller,
  qualifiedModel,
}: Pick<ChatCall, 'caller' | 'qualifiedModel'>): readonly AppliedLimit[] {
  const { principal, project } = caller;
  if (!isLimited(principal) && (project === undefined || !isLimited(project))) return none;
  const applied = new Map<string, AppliedLimit>();
  for (const [level, limits] of levels(caller)) {
    for (const { id, kind, count = 0, model } of limits) {
      if (kind === 'budget' || (model !== undefined && !matchesGlob(model, qualifiedModel))) continue;
      applied.set(id, { id, kind, max: count, level, model });
    }
  }
  return [...applied.values()];
}

const none: readonly AppliedLimit[] = [];

function isLimited({ organization, scope, key }: Principal): boolean {
  return organization.limits.length + key.limits.length + (scope?.limits.length ?? 0) > 0;
}

function* levels({ principal, project }: Caller): Iterable<readonly [LimitLevel, readonly Limit[]]> {
  yield ['organization', principal.organization.limits];
  for (const sent of [principal, project]) {
    if (sent === undefined) continue;
    if (sent.scope !== undefined) yield [sent.scope.kind, sent.scope.limits];
    yield ['virtual_key', sent.key.limits];
  }
}
