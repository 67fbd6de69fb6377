// Calls and outcomes as the ledger charges them.
import type { ChatCall, Outcome } from '../../proxy/call.ts';
import { CapabilityTable } from '../../proxy/catalog/capabilities.ts';
import { findModel } from '../../proxy/catalog/models.ts';
import type { Usage } from '../../proxy/conversation/usage.ts';
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import { usualSettings } from './usual-settings.ts';

const capabilities = new CapabilityTable();

/** @param fields of the body beside its model and one message */
export function chatCallOf(vendor: string, model: string, fields: object): ChatCall {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...fields };
  const provider = providersByName.get(vendor);
  if (provider === undefined) throw new Error(`there is no provider ${vendor}`);
  return {
    requestId: 'request',
    caller: {
      principal: {
        key: {
          ...{ keyId: 'k', organizationId: 'o', scope: { kind: 'organization', id: 'o' }, active: true },
          ...{ endsAt: undefined, valueEndsAt: undefined, allowedModels: [], limits: [] },
          ...{ organizationRevision: 1, revision: 1 },
        },
        scope: undefined,
        organization: {
          id: 'o',
          active: true,
          ...usualSettings,
          ...{ allowedModels: [], limits: [], providerKeys: [], customProviders: [], prices: [] },
          ...{ guardrails: [], revision: 1 },
        },
      },
      project: undefined,
      direct: false,
    },
    request: parseChatRequest(Buffer.from(JSON.stringify(body))),
    provider,
    model,
    qualifiedModel: `${vendor}/${model}`,
    catalogModel: findModel(vendor, model),
    capabilities: capabilities.of(vendor, model),
    targets: [],
  } as ChatCall;
}

export interface PlayedOutcome {
  readonly ending: Outcome['ending'];
  readonly usage?: Usage | undefined;
  readonly complete?: boolean;
  /** Tokens of received text. */
  readonly text?: number;
  /** Milliseconds since the first byte. */
  readonly streamedMs?: number;
}

export function outcomeWith({ ending, usage, complete = false, text = 0, streamedMs = 0 }: PlayedOutcome): Outcome {
  return {
    ...{
      ending,
      usage,
      usageIsComplete: complete,
      textTokens: () => text,
      modelAnswered: undefined,
      target: undefined,
    },
    ...{ attempts: 1, status: 200, errorSource: undefined, errorCode: undefined },
    ...{ latencyMs: 100 + streamedMs, firstTokenMs: 100 },
  };
}
