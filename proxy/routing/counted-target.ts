// A target as health counts it. Only stored keys count: with keys of their own, callers that send a wrong one would put
// a target out for all.
import type { Target } from '../providers/provider.ts';

/** What an attempt's success or failure is counted under. */
export interface TargetIdentity {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly organization: string;
  readonly providerKey: {
    readonly id: string;
    /** Changes with the key's secret. */
    readonly revision: string;
  };
  /** Canonical name. */
  readonly model: string;
}

export interface CountedTarget {
  readonly target: Target;
  /** Undefined: the caller's own key. */
  readonly identity: TargetIdentity | undefined;
}

export function countedTarget(
  target: Target,
  { organization, model }: { readonly organization: string; readonly model: string },
): CountedTarget {
  const { providerKeyId, keyRevision = '', baseUrl } = target;
  if (providerKeyId === undefined) return { target, identity: undefined };
  const providerKey = { id: providerKeyId, revision: keyRevision };
  return { target, identity: { origin: baseUrl.origin, organization, providerKey, model } };
}
