// A target with what health counts its attempts under.
import type { Target } from '../providers/provider.ts';
import type { TargetIdentity } from './health.ts';

export interface CountedTarget {
  readonly target: Target;
  readonly identity: TargetIdentity;
}

/** @param model canonical name */
export function countedTarget(
  target: Target,
  { organization, model }: { readonly organization: string; readonly model: string },
): CountedTarget {
  const { providerKeyId: id, keyRevision: revision = '', baseUrl } = target;
  const providerKey = id === undefined ? undefined : { id, revision };
  return { target, identity: { organization, origin: baseUrl.origin, model, providerKey } };
}
