// Images by URL in dispatch, over real sockets: fetched for vendors that need bytes, and passed on unchanged to vendors
// that fetch images themselves. Fetching has its own address policy; the policy of these tests lists a local server.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../../../proxy/access/principal.ts';
import type { ChatCall } from '../../../../proxy/call.ts';
import { findModel } from '../../../../proxy/catalog/models.ts';
import { parseBaseUrl } from '../../../../proxy/formats/format.ts';
import { LoopScheduler } from '../../../../proxy/loop-scheduler.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { createDispatch, type Dispatch, type DispatchContext } from '../../../../proxy/routing/dispatch.ts';
import type { Transport } from '../../../../proxy/upstream/transport.ts';
import { type Simulator, startSimulator } from '../../../../simulator/index.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { idleContext } from '../../../support/attempt-context.ts';
import { firstTargetOnly, freely } from '../../../support/chains.ts';
import { png } from '../../../support/png.ts';
import { transportTo } from '../../../support/transports.ts';
import { usualSettings } from '../../../support/usual-settings.ts';
import { callOf } from '../../../support/vendor-calls.ts';
import { plainModels } from '../../../support/vendors.ts';

let simulator: Simulator;
let images: Server;
let imageHost: string;
let requested: string[] = [];
let transports: readonly Transport[];
let dispatch: Dispatch;
/** It tries later targets too. */
let routed: Dispatch;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  images = createServer((request, response) => {
    requested.push(request.url ?? '');
    response.end(request.url === '/no-image' ? 'text' : Buffer.from(png, 'base64'));
  }).listen(0, '127.0.0.1');
  await once(images, 'listening');
  imageHost = `127.0.0.1:${(images.address() as AddressInfo).port}`;
  const [toVendors, toImages] = [transportTo([`127.0.0.1:${simulator.port}`]), transportTo([imageHost])];
  transports = [toVendors, toImages];
  const deps = {
    transport: toVendors,
    limits: { responseBytesMax: 1_000_000, eventBytesMax: 1_000_000 },
    now: () => Date.now(),
    images: {
      transport: toImages,
      limits: { imagesMax: 2, imageBytesMax: 10_000, imageTimeoutMs: 5000 },
      loop: new LoopScheduler({ now: () => performance.now() }),
    },
  };
  dispatch = createDispatch({ ...deps, chains: firstTargetOnly() });
  routed = createDispatch({ ...deps, chains: freely() });
});
beforeEach(() => {
  simulator.reset();
  requested = [];
});
afterAll(async () => {
  for (const transport of transports) await transport.close();
  images.closeAllConnections();
  images.close();
  await simulator.close();
});

const principal: Principal = {
  key: {
    ...{ keyId: 'k', organizationId: 'o', scope: { kind: 'organization', id: 'o' }, active: true },
    ...{ endsAt: undefined, valueEndsAt: undefined, allowedModels: [], limits: [] },
    ...{ organizationRevision: 1, revision: 1 },
  },
  scope: undefined,
  organization: {
    ...{
      id: 'o',
      active: true,
      ...usualSettings,
      allowedModels: [],
      limits: [],
    },
    ...{ providerKeys: [], customProviders: [], prices: [], guardrails: [], revision: 1 },
  },
};

const context: DispatchContext = { ...idleContext, onAbort: () => undefined };

function callTo(vendor: VendorName, urls: readonly string[]): ChatCall {
  const model = plainModels[vendor];
  const parts = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...parts] }];
  const { request, capabilities, target } = callOf(vendor, model, { messages });
  const dialect = vendor === 'studio-ai' ? '/models' : '';
  const here: Target = { ...target, baseUrl: parseBaseUrl(simulator.baseUrls[vendor] + dialect) };
  return {
    requestId: 'r',
    caller: { principal, project: undefined, direct: false },
    request,
    provider: target.provider,
    model,
    qualifiedModel: `${vendor}/${model}`,
    catalogModel: findModel(vendor, model),
    capabilities,
    targets: [here],
  };
}

function request(vendor: VendorName, urls: readonly string[]) {
  return dispatch(callTo(vendor, urls), context);
}

describe('an image by URL in a request', () => {
  it.each([
    ['managed-cloud-models', { image: { format: 'png', source: { bytes: png } } }],
    ['search-provider', { inlineData: { mimeType: 'image/png', data: png } }],
  ] as const)('trap 28: is sent to %s as its bytes, fetched once', async (vendor, part) => {
    const url = `http://${imageHost}/a.png?signature=1`;
    const result = await request(vendor, [url, url]);
    expect(result.kind).toBe('complete');
    expect(requested).toEqual(['/a.png?signature=1']);
    const received = JSON.stringify(simulator.requests[0]?.json());
    expect(received.split(JSON.stringify(part))).toHaveLength(3);
    expect(received).not.toContain('signature=1');
  });

  it.each(['gpt-provider', 'studio-ai', 'assistant-provider'] as const)('is left to %s to fetch', async (vendor) => {
    const url = `https://${imageHost}/a.png`;
    expect((await request(vendor, [url])).kind).toBe('complete');
    expect(requested).toEqual([]);
    expect(simulator.requests[0]?.body.toString()).toContain(url);
  });

  it.each([
    ['that leads nowhere public', () => ['http://127.0.0.1:9/a.png'], /public https address/],
    ['that is none', () => [`http://${imageHost}/no-image`], /no PNG, JPEG, GIF or WebP/],
    ['of too many', () => ['/1', '/2', '/3'].map((path) => `http://${imageHost}${path}`), /at most 2 images/],
  ])('%s ends the request before the vendor is called', async (_what, urls, message) => {
    const refusal = { code: 'invalid_request', param: 'messages', message: expect.stringMatching(message) };
    const outcome = async () => request('search-provider', urls());
    await expect(outcome()).rejects.toMatchObject(refusal);
    expect(simulator.requests).toEqual([]);
  });
});

describe('an image by URL in a request to a route', () => {
  const sent = (urls: readonly string[]) => {
    const route = { name: 'seeing', onContext: false, onFilter: false, onBudget: false };
    const call = callTo('gpt-provider', urls);
    return routed({ ...call, route, alternatives: [callTo('search-provider', urls)] }, context);
  };

  it('is fetched only once a target needs its bytes', async () => {
    const url = `http://${imageHost}/a.png`;
    expect((await sent([url])).kind).toBe('complete');
    expect(requested).toEqual([]);
    simulator.script({ status: 503 });
    expect((await sent([url])).kind).toBe('complete');
    expect(requested).toEqual(['/a.png']);
    expect(simulator.requests).toHaveLength(3);
  });

  it('leaves the later target out if it cannot be fetched', async () => {
    simulator.script({ status: 503 });
    const outcome = async () => sent([`http://${imageHost}/no-image`]);
    await expect(outcome()).rejects.toMatchObject({ status: 503 });
    expect(simulator.requests).toHaveLength(1);
  });
});
