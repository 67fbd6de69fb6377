// What metrics count of routing: results by name. Apart from the code that has them, so that a sidecar, which has the
// same metrics, does not load that code.

/**
 * What followed after a stream had broken off: `final` if nothing may follow on what the caller had, `failed` if no
 * further attempt was possible or none responded.
 */
export const recoveryResults = ['restarted', 'continued', 'final', 'failed'] as const;
export type RecoveryResult = (typeof recoveryResults)[number];

/** Which attempt responded first. `none`: neither has responded. */
const hedgeWinners = ['first', 'hedge', 'none'] as const;
export type HedgeWinner = (typeof hedgeWinners)[number];

/** Who responded first, or why a late request was not hedged. */
export const hedgeResults = [...hedgeWinners, ...(['no_share', 'no_target', 'no_money', 'no_retry'] as const)] as const;
export type HedgeResult = (typeof hedgeResults)[number];

/** `sent`, `received`: of other proxies, and new. `ignored`: it cannot be opened. `failed`: a call of Redis. */
export const hintResults = ['sent', 'received', 'ignored', 'failed'] as const;
export type HintResult = (typeof hintResults)[number];
