// Calls of a route that caches its responses.
import { RecordKey } from '../../proxy/access/organization-key.ts';
import type { KeyRecord, OrganizationRecord, ScopeRecord } from '../../proxy/access/principal.ts';
import type { Route } from '../../proxy/access/routes.ts';
import type { ChatCall } from '../../proxy/call.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import type { Target } from '../../proxy/providers/provider.ts';
import { chatCallOf } from './charged-calls.ts';

export const recordKey = new RecordKey(1, Buffer.alloc(32, 7));

export const cachedRoute: Route = {
  ...{ id: 'r', name: 'faq', groups: [], onContext: false, onFilter: false, recovery: 'off', revision: 3 },
  ...{ onBudget: false, keepReasoning: false },
  cache: { ttlMs: 60_000, perScope: false, pricePercent: 0 },
};

export interface CachedCall {
  readonly body?: object;
  readonly client?: ClientFormatName;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
  readonly route?: Partial<Route>;
  readonly organization?: Partial<OrganizationRecord>;
  readonly key?: Partial<KeyRecord>;
  readonly scope?: Partial<ScopeRecord>;
}

/** To `gpt-provider/gpt-4o-mini` with the provider key `pk`. */
export function cachedCall(given: CachedCall = {}): { readonly call: ChatCall; readonly route: Route } {
  const { body = {}, client = 'chat_completions', headers = [] } = given;
  const route = { ...cachedRoute, ...given.route };
  const plain = chatCallOf('gpt-provider', 'gpt-4o-mini', {});
  const { principal } = plain.caller;
  const { translation } = clientFormats[client];
  const sent = { model: 'faq', messages: [{ role: 'user', content: 'Hello' }], ...body };
  const request = parseChatRequest({
    bytes: Buffer.from(JSON.stringify(sent)),
    numbersArePlain: false,
    ...(translation && {
      client: { translation, headers, path: { counts: false, compacts: false, stream: undefined, framing: undefined } },
    }),
  });
  const routes = {
    size: 1,
    names: () => [route.name],
    get: (name: string) => (name === route.name ? route : undefined),
  };
  const organization = { ...principal.organization, recordKeys: [recordKey], routes, ...given.organization };
  const scope = given.scope && ({ ...emptyScope, ...given.scope } as ScopeRecord);
  const target = { provider: plain.provider, providerKeyId: 'pk' } as Target;
  const call: ChatCall = {
    ...plain,
    caller: { ...plain.caller, principal: { key: { ...principal.key, ...given.key }, scope, organization } },
    request,
    targets: [target],
    route: { name: route.name, onContext: false, onFilter: false, onBudget: false },
  };
  return { call, route };
}

const emptyScope = { kind: 'ai_system', id: 's', organizationId: 'o', active: true, allowedModels: [], limits: [] };
