// Guardrails as the request path sees them.
import type { ChatCall } from '../chat/call.ts';

export interface Guardrails {
  /**
   * Inspects all text the model will see. May answer a call whose request was redacted.
   * @throws GatewayError guardrail_blocked
   */
  inspect(call: ChatCall): Promise<ChatCall> | ChatCall;
}

/** No guardrails are configured: every request is admitted as it is. */
export const noGuardrails: Guardrails = { inspect: (call) => call };
