// Calls of routes, as they are authorized.
import { systemClock } from '../../../../common/clock.ts';
import { Secret } from '../../../../common/secret.ts';
import type { OrganizationRecord, ProviderKey } from '../../../../proxy/access/principal.ts';
import type { Route, RouteConditions, RouteGroup, Routes, RouteTarget } from '../../../../proxy/access/routes.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { authorize } from '../../../../proxy/http/authorize.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { PriceTable } from '../../../../proxy/pricing/price-book.ts';
import { providersByName, wireFormatProviders } from '../../../../proxy/providers/index.ts';
import { TargetLoads } from '../../../../proxy/routing/target-loads.ts';
import { BaseUrls } from '../../../../proxy/upstream/base-urls.ts';
import { CustomProviders } from '../../../../proxy/upstream/custom-providers.ts';
import { Targets } from '../../../../proxy/upstream/targets.ts';
import { chatCallOf } from '../../../support/charged-calls.ts';

const capabilities = new CapabilityTable();
export const deps = {
  ...{ providers: providersByName, capabilities },
  customProviders: new CustomProviders(wireFormatProviders, capabilities),
  loads: new TargetLoads({ clock: systemClock }),
  prices: new PriceTable(),
  now: () => Date.now(),
  targets: new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] })),
};

export const gpt = 'gpt-provider/gpt-4o-mini';
export const claude = 'assistant-provider/claude-haiku-4-5';

const always: RouteConditions = {
  ...{ streamed: undefined, hasImages: undefined, hasTools: undefined, tokensAbove: undefined },
  ...{ tag: undefined, scope: undefined },
};
export const target = (model: string, fields: Partial<RouteTarget> = {}): RouteTarget => ({
  ...{ model, providerKeyId: undefined, weight: 1, maxOutputTokens: undefined, reasoningEffort: undefined },
  ...{ firstTokenMs: undefined, betweenTokensMs: undefined, wholeMs: undefined, connectMs: undefined },
  canary: undefined,
  ...fields,
});
export const group = (targets: readonly RouteTarget[], conditions: Partial<RouteConditions> = {}): RouteGroup => ({
  ...{ targets, conditions: { ...always, ...conditions }, choice: 'weighted' },
});

const recoveries: Readonly<Record<string, Route['recovery']>> = { lasting: 'continue' };

type Settings = Partial<Pick<Route, 'onBudget' | 'keepReasoning' | 'hedge'>>;

function routesOf(groups: Readonly<Record<string, readonly RouteGroup[]>>, changes: Settings = {}): Routes {
  const named = (name: string): Route | undefined => {
    const found = groups[name];
    const recovery = recoveries[name] ?? 'off';
    const settings = { onContext: false, onFilter: true, onBudget: false, keepReasoning: false, recovery, ...changes };
    return found && { id: `id-${name}`, name, groups: found, ...settings, revision: 1 };
  };
  return { size: Object.keys(groups).length, names: () => Object.keys(groups), get: named };
}

export const key = (id: string, provider: string): ProviderKey => ({
  ...{ id, provider, baseUrl: undefined, endpoint: undefined, region: undefined, apiVersion: undefined },
  ...{ priority: 0, weight: 1 },
  secret: {
    ...{ apiKey: new Secret('sk-made-up'), accessKeyId: undefined, secretAccessKey: undefined },
    sessionToken: undefined,
  },
});

export interface Called {
  readonly groups: Readonly<Record<string, readonly RouteGroup[]>>;
  readonly model?: string;
  readonly fields?: object;
  readonly headers?: readonly string[];
  readonly organization?: Partial<OrganizationRecord>;
  readonly direct?: boolean;
  readonly settings?: Settings;
  readonly guardrail?: boolean;
  /** Too large to be read at once. */
  readonly isLarge?: boolean;
  readonly scope?: { readonly kind: 'ai_system'; readonly id: string };
}

export function call({ groups, model = 'fast', fields = {}, headers = [], organization = {}, ...rest }: Called) {
  const { caller } = chatCallOf('gpt-provider', 'gpt-4o-mini', {});
  const { principal } = caller;
  const { direct = false, guardrail = false, scope = principal.key.scope } = rest;
  const providerKeys = [key('g', 'gpt-provider'), key('a', 'assistant-provider')];
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...fields };
  return authorize(deps, {
    requestId: 'r',
    caller: {
      ...caller,
      direct,
      principal: {
        ...principal,
        key: { ...principal.key, scope },
        organization: {
          ...principal.organization,
          providerKeys,
          routes: routesOf(groups, rest.settings),
          ...organization,
        },
      },
    },
    request: {
      ...parseChatRequest(Buffer.from(JSON.stringify(body))),
      ...(rest.isLarge === true && { isLarge: true }),
    },
    headers: new RequestHeaders([...headers, ...(direct ? ['authorization', 'Bearer sk-made-up'] : [])]),
    route: { provider: undefined, home: 'gpt-provider' },
    routeTarget: undefined,
    isGuardrails: guardrail,
  });
}

export function modelsOf(called: Called): readonly string[] {
  const found = call(called);
  return [found, ...(found.alternatives ?? [])].map(({ qualifiedModel }) => qualifiedModel);
}

export function refusal(called: Called): unknown {
  try {
    call(called);
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? error.code : error;
  }
}
