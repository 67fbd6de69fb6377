// Converts the messages of the service Ledger from and to the proxy's own types. Money is whole nano-dollars, in
// decimal strings on the wire.
import type { CloseSessionRequest as WireEnd } from '../../proto/generated/gateway/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse__Output } from '../../proto/generated/gateway/v1/CloseSessionResponse.ts';
import type { DrawRequest as WireDraw } from '../../proto/generated/gateway/v1/DrawRequest.ts';
import type { DrawResponse__Output } from '../../proto/generated/gateway/v1/DrawResponse.ts';
import type { KeepSessionResponse__Output } from '../../proto/generated/gateway/v1/KeepSessionResponse.ts';
import type { ReturnRequest as WireReturn } from '../../proto/generated/gateway/v1/ReturnRequest.ts';
import type { ReturnResponse__Output } from '../../proto/generated/gateway/v1/ReturnResponse.ts';
import { acquireOutcomes } from '../../proto/words/money.ts';
import type {
  AcquireRequest,
  AcquireResponse,
  LedgerClient,
  Operation,
  ReturnRequest,
  SessionEnd,
  SessionResponse,
} from '../usage/ledger-client.ts';
import { clock, whole } from './wire-values.ts';

type ResponseOf<Method extends keyof LedgerClient> = Awaited<ReturnType<LedgerClient[Method]>>;

/** @throws Error that names the fault of the message, like all functions here */
export function decodeSession(response: KeepSessionResponse__Output): SessionResponse {
  const { open, now, epoch, sessions, leasedNanoUsd } = response;
  const leased = leasedNanoUsd === undefined ? undefined : whole(leasedNanoUsd);
  return { open, now: clock(now), epoch, sessions, leased };
}

export function encodeAcquire({ need, want, value, ...operation }: AcquireRequest): WireDraw {
  const amounts = { needNanoUsd: String(need), wantNanoUsd: String(want) };
  return { ...encodeOperation(operation), ...amounts, ...(value !== undefined && { counterValue: value }) };
}

export function decodeAcquire(response: DrawResponse__Output): AcquireResponse {
  const { outcome, grantedNanoUsd, now, epoch, attainableNanoUsd, amountNanoUsd } = response;
  const known = acquireOutcomes.wordOf(outcome);
  if (known === undefined)
    throw new Error('the control plane responded to an acquire call with an unknown outcome; update the proxy');
  const attainable = attainableNanoUsd === undefined ? undefined : whole(attainableNanoUsd);
  const amount = amountNanoUsd === undefined ? undefined : whole(amountNanoUsd);
  return { outcome: known, granted: whole(grantedNanoUsd), now: clock(now), epoch, attainable, amount };
}

export function encodeReturn({ amount, ...operation }: ReturnRequest): WireReturn {
  return { ...encodeOperation(operation), amountNanoUsd: String(amount) };
}

export function decodeReturn({ returnedNanoUsd, now, epoch }: ReturnResponse__Output): ResponseOf<'release'> {
  return { returned: whole(returnedNanoUsd), now: clock(now), epoch };
}

export function encodeEnd({ session, outstanding, andOthers }: SessionEnd): WireEnd {
  return {
    session,
    andOthers,
    outstanding: outstanding.map(({ budgetId, window, amount }) => ({
      budgetId,
      window,
      outstandingNanoUsd: String(amount),
    })),
  };
}

export function decodeEnd({ freedNanoUsd, now, epoch }: CloseSessionResponse__Output): ResponseOf<'closeSession'> {
  return { freed: whole(freedNanoUsd), now: clock(now), epoch };
}

function encodeOperation({ session, budgetId, window, seq, shut }: Operation) {
  return { session, budgetId, window, seq, ...(shut > 0 && { shutNanoUsd: String(shut) }) };
}
