// What a request is taken to have used where its provider did not tell: what it sent by the usual guess, and of the answer no less
// than what came of it. A model that reasons may have used all that it was allowed before a word of it came.
import type { ChatCall } from '../../chat/call.ts';
import { noUsage, type Usage } from '../../chat/usage.ts';
import { bytesPerToken, estimateTokens } from '../rates/estimate.ts';

export interface Received {
  /** Bytes of text that came of the answer. */
  readonly textBytes: number;
  /** Of each choice, where the gateway has set one. */
  readonly outputCeiling: number | undefined;
  /** Where neither caller, model nor gateway has set a ceiling. */
  readonly outputTokensDefault: number;
}

export function estimatedUsage(
  call: Pick<ChatCall, 'request' | 'catalogModel' | 'traits'>,
  { textBytes, outputCeiling, outputTokensDefault }: Received,
): Usage {
  const { input, output } = estimateTokens(call, outputCeiling ?? outputTokensDefault);
  const received = Math.max(1, Math.ceil(textBytes / bytesPerToken));
  const completionTokens = reasons(call) ? Math.max(received, output) : received;
  return { ...noUsage, promptTokens: input, completionTokens };
}

function reasons({ catalogModel, traits }: Pick<ChatCall, 'catalogModel' | 'traits'>): boolean {
  return traits.reasoning !== 'none' || catalogModel?.capabilities.includes('reasoning') === true;
}
