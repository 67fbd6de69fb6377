// The messages of the service Ledger as the proxy's own types. Money is whole nano-dollars, in decimal strings on the wire.
import type { DrawOutcome__Output } from '../../proto/generated/gateway/v1/DrawOutcome.ts';
import type { DrawRequest as WireDraw } from '../../proto/generated/gateway/v1/DrawRequest.ts';
import type { DrawResponse__Output } from '../../proto/generated/gateway/v1/DrawResponse.ts';
import type { KeepSessionResponse__Output } from '../../proto/generated/gateway/v1/KeepSessionResponse.ts';
import type { ReturnRequest as WireReturn } from '../../proto/generated/gateway/v1/ReturnRequest.ts';
import type { ReturnResponse__Output } from '../../proto/generated/gateway/v1/ReturnResponse.ts';
import type {
  DrawAnswer,
  DrawRequest,
  LedgerClient,
  ReturnRequest,
} from '../ledger/budgets/ledger-client.ts';
import { clock, whole } from './wire-values.ts';

type Answer<Method extends keyof LedgerClient> = Awaited<ReturnType<LedgerClient[Method]>>;

/** @throws Error that names what is wrong with the message, as all here */
export function decodeSession({ open, now }: KeepSessionResponse__Output): Answer<'keepSession'> {
  return { open, now: clock(now) };
}

export function encodeDraw({ session, budgetId, window, seq, need, want }: DrawRequest): WireDraw {
  return { session, budgetId, window, seq, needNanoUsd: String(need), wantNanoUsd: String(want) };
}

export function decodeDraw({ outcome, grantedNanoUsd, now }: DrawResponse__Output): DrawAnswer {
  const known = outcomes[outcome];
  if (known === undefined) throw new Error('the control plane answered a draw in a way unknown here');
  return { outcome: known, granted: whole(grantedNanoUsd), now: clock(now) };
}

export function encodeReturn({ session, budgetId, window, seq, amount }: ReturnRequest): WireReturn {
  return { session, budgetId, window, seq, amountNanoUsd: String(amount) };
}

export function decodeReturn({ returnedNanoUsd, now }: ReturnResponse__Output): Answer<'giveBack'> {
  return { returned: whole(returnedNanoUsd), now: clock(now) };
}

const outcomes = {
  DRAW_OUTCOME_UNSPECIFIED: undefined,
  DRAW_OUTCOME_GRANTED: 'granted',
  DRAW_OUTCOME_EXCEEDED: 'exceeded',
  DRAW_OUTCOME_BUSY: 'busy',
  DRAW_OUTCOME_GONE: 'gone',
  DRAW_OUTCOME_WINDOW: 'window',
  DRAW_OUTCOME_DELETED: 'deleted',
  DRAW_OUTCOME_LOST: 'lost',
  DRAW_OUTCOME_IGNORED: 'ignored',
} as const satisfies Record<DrawOutcome__Output, DrawAnswer['outcome'] | undefined>;
