// What metrics count of cached responses: results and reasons by name. Apart from the code that has them, so that a
// sidecar, which has the same metrics, does not load that code.

/** `shared`: another request at the same time got the response. */
export const lookupResults = ['hit', 'shared', 'miss'] as const;

/** Why a cached response is not used. */
export const ignoredReasons = ['unreadable', 'old', 'target', 'form'] as const;

/** Why a response is not stored, or a request has none. */
export const notStoredReasons = [
  // Of requests.
  ...(['no_record_key', 'large_request', 'state', 'own_tools', 'choices'] as const),
  // Of responses.
  ...(['failed', 'incomplete', 'finish', 'guardrail', 'opaque', 'large_response', 'no_memory', 'left'] as const),
  // Of Redis.
  ...(['no_redis', 'redis_failed', 'full'] as const),
] as const;

export type NotStored = (typeof notStoredReasons)[number];
