// Ten thousand routes in an organization's record change nothing for its requests.
import { expect, it } from 'vitest';
import { systemClock } from '../../../../common/clock.ts';
import { routeBodyType } from '../../../../proto/load.ts';
import type { OrganizationRecord } from '../../../../proxy/access/principal.ts';
import { noRoutes } from '../../../../proxy/access/routes.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { decodeRoutes } from '../../../../proxy/control-plane/wire-routes.ts';
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
import { processorMs } from '../../../support/processor-time.ts';

const capabilities = new CapabilityTable();
const deps = {
  ...{ providers: providersByName, capabilities },
  customProviders: new CustomProviders(wireFormatProviders, capabilities),
  loads: new TargetLoads({ clock: systemClock }),
  prices: new PriceTable(),
  now: () => Date.now(),
  targets: new Targets(new BaseUrls({ templates: new Map(), endpointHostSuffixes: [] })),
};
const times = 20_000;

const body = routeBodyType.serialize({
  ...{ id: 'r', revision: 1 },
  groups: [{ targets: [{ model: 'gpt-provider/gpt-4o', weight: 1 }] }],
});
const many = decodeRoutes(Array.from({ length: 10_000 }, (_, at) => ({ name: `route-${at}`, body })));

function authorizing(routes: OrganizationRecord['routes'], model: string): () => void {
  const { caller } = chatCallOf('gpt-provider', 'gpt-4o-mini', {});
  const { principal } = caller;
  const key = { id: 'k', provider: 'gpt-provider', secret: {}, priority: 0, weight: 1 } as never;
  const organization = { ...principal.organization, providerKeys: [key], routes };
  const input = {
    ...{ requestId: 'r', caller: { ...caller, principal: { ...principal, organization } } },
    request: parseChatRequest(Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }))),
    ...{ headers: new RequestHeaders([]), routeTarget: undefined },
    route: { provider: undefined, home: 'gpt-provider' as const },
  };
  return () => {
    for (let request = 0; request < times; request++) authorize(deps, input);
  };
}

function microseconds(work: () => void): number {
  work();
  return (1000 * Math.min(...[1, 2, 3].map(() => processorMs(work)))) / times;
}

it('a model, a bare name and a route cost as much to authorize among ten thousand routes as without', () => {
  const model = microseconds(authorizing(noRoutes, 'gpt-provider/gpt-4o-mini'));
  const figures = {
    model,
    amongMany: microseconds(authorizing(many, 'gpt-provider/gpt-4o-mini')),
    route: microseconds(authorizing(many, 'route/route-9999')),
  };
  // Twice, because the clock of a busy machine is coarse: a search through the routes would cost hundreds of times more.
  expect(figures.amongMany).toBeLessThan(2 * model + 1);
  expect(figures.route).toBeLessThan(3 * model + 2);
});
