// What a request to a model without a price is taken to have used where its provider did not report it: what it sent by the usual
// guess, and of the response what came of it, or all that it may have been where that is not seen.
import type { ChatCall } from '../call.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';
import type { Outcome } from '../ledger/ledger.ts';
import { estimateTokens } from '../rates/estimate.ts';
import { mayThinkUnseen } from './hidden-thoughts.ts';

/** @param outputTokensDefault where neither caller nor model has set a ceiling */
export function estimatedUsage(call: ChatCall, outcome: Outcome, outputTokensDefault: number): Usage {
  const { input, output } = estimateTokens(call, outputTokensDefault);
  const { usage: reported = noUsage } = outcome;
  const seen = Math.max(reported.completionTokens, outcome.textTokens());
  const isSeen = outcome.ending === 'whole' && !mayThinkUnseen(call);
  return {
    ...reported,
    promptTokens: reported.promptTokens || input,
    completionTokens: isSeen ? seen : Math.max(seen, output),
  };
}
