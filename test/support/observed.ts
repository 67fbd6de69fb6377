// A whole gateway that has served requests of many kinds, successful and failing: proxies with Redis, without it and
// with a silent one, a forwarding sidecar, the control plane, the injector, the keeper. Then the scrape of each of
// them.
import { createMetrics } from '../../proxy/telemetry/metrics.ts';
import { createForwardScene } from './forward.ts';
import { chatRequest, startGateway, type TestGateway, type TestProxy } from './gateway.ts';
import { createKeeperScene } from './keepers.ts';
import { createLimit } from './limited-callers.ts';
import { freePort, until } from './process.ts';
import { openConnection } from './raw-http.ts';
import { startRedis } from './redis.ts';
import { reviewOf, startTestInjector } from './reviews.ts';
import { createBudget, makeDear } from './spending.ts';
import { metric } from './telemetry.ts';

export interface Observation {
  readonly proxy: string;
  readonly proxyWithoutRedis: string;
  readonly sidecar: string;
  readonly controlPlane: string;
  readonly injector: string;
  readonly keeper: string;
}

export async function observeEverything(): Promise<Observation> {
  const redis = await startRedis();
  const gateway = await startGateway({ proxy: { REDIS_URL: redis.url } });
  const scene = await createForwardScene();
  const injector = await startTestInjector();
  const keepers = await createKeeperScene();
  try {
    const lost = await gateway.startProxy({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    const egress = await scene.startEgress(gateway);
    const sidecar = await scene.startSidecar(egress.url);
    for (const proxy of [gateway.proxy, lost, sidecar]) await serve(gateway, proxy);
    await serveCopied(gateway);
    await serveUnderLimits(gateway);
    await injector.ask(reviewOf('deployment'));
    const keeper = await keepers.startKeeper();
    await until(async () => (await keeper.metrics()).includes('{use="injector-tls"}'));
    await untilReported(gateway.proxy);
    return {
      proxy: await scrape(gateway.proxy.adminUrl),
      proxyWithoutRedis: await scrape(lost.adminUrl),
      sidecar: await scrape(sidecar.adminUrl),
      controlPlane: await scrape(`http://127.0.0.1:${gateway.controlPlane.adminPort}`),
      injector: await scrape(`http://127.0.0.1:${injector.injector.adminPort}`),
      keeper: await keeper.metrics(),
    };
  } finally {
    await keepers.close();
    await injector.close();
    await scene.close();
    await gateway.close();
    await redis.stop();
  }
}

/**
 * Metrics of events that a test can hardly cause, counted by hand to show their labels; the scrape shows that they
 * exist.
 */
export async function rareMetrics(): Promise<string> {
  const metrics = createMetrics();
  metrics.access.cacheIgnored('unreadable');
  metrics.backgroundFailure('report usage');
  metrics.guardrails.serviceRequested('webhook', 'answered');
  return (await metrics.render()).body;
}

async function serve({ simulator, organization }: TestGateway, proxy: TestProxy): Promise<void> {
  const { value } = await organization.createKey();
  const ask = async (init: RequestInit, path = '/v1/chat/completions') => {
    await (await fetch(proxy.url + path, init)).text();
  };
  await ask(chatRequest(value));
  await ask(chatRequest(value, { stream: true }));
  await ask(chatRequest(value, { model: 'gpt-provider/made-up' }));
  await ask(chatRequest('sk-svc-made-up'));
  await ask({}, '/none');
  simulator.script({ status: 429 });
  await ask(chatRequest(value));
  simulator.script({ body: 'no JSON' });
  await ask(chatRequest(value));
  simulator.reset();
  const connection = await openConnection(proxy.port);
  connection.send('no HTTP\r\n\r\n');
  await connection.respond();
}

/** A stream, and its copy to another model. */
async function serveCopied({ organization, proxy }: TestGateway): Promise<void> {
  const { api, id } = organization;
  await createBudget(organization, { kind: 'ORGANIZATION', id }, { amountUsd: '5', model: 'shadow/fast' });
  await api.call('Routes/Create', {
    ...{ organizationId: id, name: 'fast', groups: [{ targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }] },
    settings: { shadow: { model: 'gpt-provider/gpt-4o', percent: 100 } },
  });
  const { value } = await organization.createKey();
  const request = chatRequest(value, { model: 'route/fast', stream: true });
  // The route has to reach the proxy.
  await until(async () => {
    await (await fetch(`${proxy.url}/v1/chat/completions`, request)).text();
    return (await metric(proxy, 'gateway_shadow_requests_total', { result: 'responded' })) > 0;
  });
}

async function serveUnderLimits(gateway: TestGateway): Promise<void> {
  const { organization, proxy } = gateway;
  const { api, id: organizationId } = organization;
  await api.call('Guardrails/Create', {
    ...{ organizationId, name: 'no-tea', stage: 'GUARDRAIL_STAGE_INPUT' },
    ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { words: { phrases: ['darjeeling'] } } },
  });
  await makeDear(organization);
  const [spender, runner] = [await organization.createKey(), await organization.createKey()];
  await createBudget(organization, { kind: 'VIRTUAL_KEY', id: spender.id }, { amountUsd: '0.01' });
  await createLimit(organization, ['VIRTUAL_KEY', runner.id], ['REQUESTS_PER_MINUTE', 2]);
  const tea = { messages: [{ role: 'user', content: 'darjeeling' }] };
  const status = async (key: string, fields: object) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key, fields));
    await response.text();
    return response.status;
  };
  // Waits until the created objects have reached the proxy, and the set limit is used up.
  await until(async () => (await status(spender.value, tea)) === 400);
  await until(async () => (await status(spender.value, { max_tokens: 50 })) === 402);
  await until(async () => (await status(runner.value, {})) === 429);
}

async function untilReported(proxy: TestProxy): Promise<void> {
  await until(async () => (await metric(proxy, 'gateway_usage_events_total', { outcome: 'reported' })) > 0);
  await until(async () => (await metric(proxy, 'gateway_usage_queued_events')) === 0);
}

async function scrape(adminUrl: string): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text();
}
