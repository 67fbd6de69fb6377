// Routes through the real server, for tests over both databases.
import { afterAll, beforeAll } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { routeBodyType } from '../../../proto/load.ts';
import type { StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freely,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { providerFields, providerKeyFields } from '../../support/role-requests.ts';

export const freshRouteName = () => freshName('route').replace(' ', '-');
export const gpt = { model: 'gpt-provider/gpt-4o' };
export const claude = { model: 'assistant-provider/claude-sonnet-4-5' };
export const one = (...targets: object[]) => [{ targets }];

/** Starts a control plane for the tests of the calling `describe`. What it returns is used within tests. */
export function routesOver(fresh: () => Promise<StoreDatabase>) {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let proxyToken: string;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url }, rates: freely });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const freshTenant = () => createTenant(plane, platform, freshName('org'));
  const as = (method: string, request: object = {}, tenant = acme): Promise<JsonResponse> =>
    plane.expect(method, tenant.owner.token, request);
  const call = (method: string, request: object, tenant = acme) => plane.call(method, tenant.owner.token, request);
  const fields = (more: object, tenant: TestTenant) => ({
    ...{ organizationId: tenant.id, name: freshRouteName(), groups: one(gpt) },
    ...more,
  });
  const create = (more: object = {}, tenant = acme) => call('Routes.Create', fields(more, tenant), tenant);
  const created = (more: object = {}, tenant = acme): Promise<JsonResponse> =>
    as('Routes.Create', fields(more, tenant), tenant);
  const recordOf = async (tenant: TestTenant): Promise<JsonResponse> => {
    const { value } = await createKey(plane, tenant);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    const { organization } = await plane.expect('Access.Resolve', proxyToken, { keyHash });
    return organization.routes.map(({ name, body }: JsonResponse) => ({ name, ...routeBodyType.deserialize(body) }));
  };
  const providerKeyOf = (tenant: TestTenant, provider = 'gpt-provider'): Promise<JsonResponse> =>
    as('ProviderKeys.Create', { organizationId: tenant.id, ...providerKeyFields(), provider }, tenant);
  const customProvider = (token: string, more: object): Promise<JsonResponse> =>
    plane.expect('Providers.Create', token, { ...providerFields(), keyForm: 'KEY_FORM_NONE', ...more });
  const setAliases = (tenant: TestTenant, ...aliases: object[]) =>
    call('Organizations.UpdateSettings', { id: tenant.id, settings: { models: { aliases: { aliases } } } }, tenant);

  return {
    ...{ freshTenant, fields, as, call, create, created, recordOf, providerKeyOf, customProvider, setAliases },
    acme: () => acme,
    platform: () => platform,
    plane: () => plane,
    store: () => store,
    database: () => database,
  };
}
