// A target with what health counts its attempts under.
import type { Target } from '../providers/provider.ts';
import type { TargetIdentity } from './health.ts';

export interface CountedTarget {
  readonly target: Target;
  readonly identity: TargetIdentity;
}

export interface TargetNames {
  readonly organization: string;
  /** Canonical name. */
  readonly model: string;
  /** The models of targets that have another one. */
  readonly models?: ReadonlyMap<Target, string> | undefined;
  /** The ceilings of targets that have one. */
  readonly ceilings?: ReadonlyMap<Target, number> | undefined;
}

export function countedTarget(target: Target, names: TargetNames): CountedTarget {
  const { organization, model: usual, models, ceilings } = names;
  const model = models?.get(target) ?? usual;
  const { providerKeyId: id, keyRevision: revision = '', baseUrl } = target;
  const providerKey = id === undefined ? undefined : { id, revision };
  const inFlightMax = ceilings?.get(target);
  return { target, identity: { organization, origin: baseUrl.origin, model, providerKey, inFlightMax } };
}
