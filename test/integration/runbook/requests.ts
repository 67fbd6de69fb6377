// Outages that affect requests: of the gateway, its providers and its limits.
import { expect } from 'vitest';
import { createLogger } from '../../../common/logger.ts';
import { startFaultyProxy } from '../../support/faulty-proxy.ts';
import { providerSecret } from '../../support/gateway.ts';
import { freePort, until } from '../../support/process.ts';
import { cutOff, type Scene, type World } from './scenes.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f-]{27}';
const first = (field: string) => new RegExp(`"${field}":"([^"]+)"`);

/** A provider at whose address no server listens. */
async function unreachable({ gateway }: World): Promise<string> {
  const port = await freePort();
  const { url } = await gateway.startProxy({
    GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${port}/v1`,
    GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
  });
  return url;
}

function vendorSays({ gateway }: World, status: number, message: string): void {
  gateway.simulator.reset();
  gateway.simulator.script({ status, error: { message } }, { times: 3 });
}

export const requestScenes = {
  first: {
    plant: async (world) => {
      vendorSays(world, 401, 'the key was revoked');
      for (let n = 0; n < 3; n++) expect(await world.ask()).toBe(502);
    },
    finds: [
      /\S/,
      undefined,
      /"level":"error".*"error_code":"upstream_authentication_failed".*"reason":"status 401: the key was revoked"/,
      /^ *3 "error_code":"upstream_authentication_failed","error_source":"gateway"$/m,
    ],
  },
  'one-request': {
    plant: async (world) => {
      const { id } = world.key;
      const line = `limits create budget --usd 0.000001 --period day --key ${id}`;
      await world.owner.expect(line);
      const headers = { 'x-request-id': 'reported-by-a-caller' };
      await until(async () => (await world.ask({ headers })) === 402);
      const { id: gone, value } = await world.organization.createKey({ name: 'left-behind' });
      await world.owner.expect(`keys revoke ${gone} --yes`);
      for (let n = 0; n < 3; n++) expect(await world.ask({ value })).toBe(401);
      for (let n = 0; n < 2; n++) expect(await world.ask({ path: '/v1/embeddings' })).toBe(404);
    },
    found: {
      'request-id': 'reported-by-a-caller',
      'limit-id': first('limit_id'),
      'key-id': first('key_id'),
    },
    finds: [
      new RegExp(`"error_code":"budget_exceeded".*"limit_id":"${uuid}".*"key_id":"${uuid}"`),
      /^kind +budget$/m,
      /^BUDGET +NAME +WINDOW +AMOUNT USD +SPENT +LEASED +UNSETTLED +FREE/m,
      /^status +active$/m,
      /^ *3 "key_hint":"\w{4}"$/m,
      /^NAME .*HINT .*STATUS[\s\S]*^left-behind +\S+ +\w{4} +organization +revoked /m,
      /^ *2 "path":"\/v1\/embeddings"$/m,
      new RegExp(`^ *2 "key_id":"${uuid}"$`, 'm'),
    ],
  },
  failing: {
    plant: async (world) => {
      const { gateway, ask } = world;
      const log = createLogger({
        name: 'proxy',
        level: 'info',
        stream: { write: (line) => void gateway.logs.push(line) },
      });
      const faulty = await startFaultyProxy(new TypeError('a defect'), { log });
      expect(await ask({ url: faulty.url })).toBe(500);
      const { heal } = await cutOff(world);
      await world.logged(/the change feed is disconnected/);
      return async () => {
        faulty.close();
        await heal();
      };
    },
    finds: [
      /"level":"error".*"err":\{"type":"TypeError","message":"a defect","stack":"TypeError: a defect\\n/,
      /"level":"warn".*the change feed is disconnected/,
    ],
  },
  overloaded: {
    plant: async ({ gateway, ask }) => {
      const { url } = await gateway.startProxy({ GATEWAY_IN_FLIGHT_MAX: '1' });
      gateway.simulator.reset();
      gateway.simulator.script({ headDelayMs: 1500 });
      const slow = ask({ url });
      await until(() => gateway.simulator.requests.length > 0);
      for (let n = 0; n < 4; n++) expect(await ask({ url })).toBe(503);
      expect(await slow).toBe(200);
    },
    found: { 'key-id': first('key_id') },
    finds: [
      new RegExp(`^ *4 "organization_id":"${uuid}"$`, 'm'),
      new RegExp(`^ *5 "organization_id":"${uuid}","key_id":"${uuid}"$`, 'm'),
      /^kind +concurrent-requests$/m,
    ],
  },
  'provider-failing': {
    plant: async (world) => {
      vendorSays(world, 429, 'slow down, please');
      for (let n = 0; n < 2; n++) expect(await world.ask()).toBe(429);
      expect(await world.ask({ url: await unreachable(world) })).toBe(502);
    },
    finds: [
      /^ *2 gpt-provider 429: status 429: slow down, please\n *1 gpt-provider 502: upstream connect: connect ECONNREFUSED/m,
    ],
  },
  'provider-key': {
    plant: async (world) => {
      vendorSays(world, 403, 'the project is archived');
      for (let n = 0; n < 2; n++) expect(await world.ask()).toBe(502);
      world.gateway.simulator.reset();
    },
    found: { 'provider-key-id': first('provider_key_id'), file: '-' },
    finds: [
      new RegExp(`^ *1 "provider_key_id":"${uuid}".*"cause":"access"$`, 'm'),
      new RegExp(`^ *2 "provider_key_id":"${uuid}"$`, 'm'),
      /^ *2 "reason":"status 403: the project is archived"$/m,
      /^provider +gpt-provider$/m,
      // An operator would give its secret from a file; standard input is empty here.
      /the secret is empty/,
    ],
  },
  unpriced: {
    plant: async ({ gateway, organization, owner, ask }) => {
      await organization.api.call('Providers/Create', {
        ...{ organizationId: organization.id, name: 'own-server', wireFormat: 'WIRE_FORMAT_GPT_PROVIDER' },
        ...{ baseUrl: gateway.simulator.baseUrls['gpt-provider'], keyForm: 'KEY_FORM_BEARER' },
      });
      const apiKey = providerSecret;
      await organization.api.call('ProviderKeys/Create', {
        ...{ organizationId: organization.id, provider: 'own-server', name: 'own', secret: { apiKey } },
      });
      const model = 'own-server/gpt-4o-mini';
      await until(async () => (await ask({ fields: { model } })) === 200, { timeoutMs: 20_000 });
      await until(async () => (await owner.expect('usage totals --by model')).includes(model));
    },
    found: { model: /^(own-server\S+)/m },
    finds: [/^MODEL .*UNPRICED[\s\S]*^own-server\/gpt-4o-mini .* 1 +\d+$/m, /^model +own-server\/gpt-4o-mini$/m],
  },
  'cost-spike': {
    plant: async ({ owner, ask }) => {
      expect(await ask()).toBe(200);
      await until(async () => / [0-9a-f-]{36} /.test(await owner.expect('usage totals --by key')));
    },
    found: { 'key-id': new RegExp(` (${uuid}) `) },
    finds: [new RegExp(`^KEY .*COST USD[\\s\\S]* ${uuid} `, 'm'), /^amount USD +50$/m, /^status +inactive$/m],
    after: async ({ ask }) => void (await until(async () => (await ask()) === 403)),
  },
  stop: {
    plant: async ({ owner, ask }) => {
      await owner.expect(['stops', 'create', '--model', 'gpt-provider/gpt-4o-mini', '--reason', 'planted']);
      await until(async () => (await ask()) === 403, { what: 'the stop to refuse' });
      await ask();
    },
    found: { 'stop-id': new RegExp(`^(${uuid}) `, 'm') },
    finds: [
      ...[/^reason +incident 4711$/m, /^reason +use gpt-4\.1$/m, /^reason +wrong results$/m],
      /^reason +a key was stolen$/m,
      /^ID .*PROVIDER.*MODEL.*DIRECT KEYS.*REASON[\s\S]*planted/m,
      new RegExp(`^ *\\d+ "key_id":"${uuid}"$`, 'm'),
      /lifted/,
    ],
  },
  'guardrails-failing': {
    plant: async ({ owner, ask, logged }) => {
      const url = `https://127.0.0.1:${await freePort()}/check`;
      const made = ['guardrails', 'create', 'watchman', '--stage', 'input', '--action', 'block', '--webhook', url];
      await owner.expect(made);
      await until(async () => (await ask()) === 400, { what: 'the guardrail to block' });
      for (let n = 0; n < 6; n++) await ask();
      await logged(/a guardrail's service is left alone/);
      return () => owner.expect('guardrails delete watchman --yes');
    },
    found: { guardrail: /"guardrails":"(\w+)=/ },
    finds: [/^ *\d+ "guardrails":"watchman=failed_block"$/m, /is left alone for ten seconds/, /^on failure +pass$/m],
    after: async ({ ask }) => void (await until(async () => (await ask()) === 200)),
  },
} as const satisfies Readonly<Record<string, Scene>>;
