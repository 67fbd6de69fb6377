// All five simulated vendors behind one gateway, with the official SDK as a client in each way in: the generic route
// with the stored key, the same route with the caller's own key, the provider's own route.
import OpenAI, { type APIError } from 'openai';
import { expect } from 'vitest';
import { type VendorName, vendorNames } from '../../../common/vendors.ts';
import type { RecordedRequest } from '../../../simulator/index.ts';
import { watchRequests } from '../../support/described-requests.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { ownHeaders, ownPath, plainModels } from '../../support/vendors.ts';

export const ways = ['stored key', "caller's key", 'own route'] as const;
export type Way = (typeof ways)[number];

export const everyWay: readonly (readonly [VendorName, Way])[] = vendorNames.flatMap((vendor) =>
  ways.map((way) => [vendor, way] as const),
);

export interface Scene {
  readonly gateway: TestGateway;
  readonly key: string;
  client(vendor: VendorName, way?: Way, headers?: Readonly<Record<string, string>>): OpenAI;
  /** The last request that the vendor received. */
  received(): RecordedRequest;
  /** @throws Error if a request is not as docs/openapi.yaml says */
  close(): Promise<void>;
}

export async function startScene(): Promise<Scene> {
  const gateway = await startGateway();
  const described = watchRequests(gateway.proxy.port);
  const { api, id } = gateway.organization;
  await gateway.organization.storeProviderKeys();
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  const key = (await gateway.organization.createKey()).value;
  return {
    gateway,
    key,
    client: (vendor, way = 'stored key', headers = {}) =>
      new OpenAI({
        baseURL: gateway.proxy.url + (way === 'own route' ? ownPath(vendor) : '/v1'),
        apiKey: key,
        maxRetries: 0,
        defaultHeaders: { ...headersOf(vendor, way, key), ...headers },
      }),
    received: () => {
      const last = gateway.simulator.requests.at(-1);
      if (last === undefined) throw new Error('the vendor received nothing');
      return last;
    },
    close: async () => {
      await gateway.close();
      described.close();
    },
  };
}

function headersOf(vendor: VendorName, way: Way, key: string): Record<string, string | null> {
  const own: Record<string, string> = ownHeaders[vendor];
  switch (way) {
    case 'stored key':
      return {};
    case 'own route':
      return { authorization: null, ...own, 'project-api-key': key };
    case "caller's key":
      return { authorization: null, ...asDirect(own), 'x-svc-vk': key, 'x-svc-direct-key': 'true' };
  }
}

/** The generic route needs the authorization scheme that some of the own routes do without. */
function asDirect({ authorization, ...others }: Readonly<Record<string, string>>): Record<string, string> {
  if (authorization === undefined) return others;
  return { ...others, authorization: `Bearer ${authorization.replace(/^Bearer /, '')}` };
}

/** The model's name in this way in. */
export function modelFor(vendor: VendorName, way: Way, model: string = plainModels[vendor]): string {
  return way === 'own route' ? model : `${vendor}/${model}`;
}

/** The SDK's error for a request that must fail. */
export async function refusalOf(pending: Promise<unknown>): Promise<APIError> {
  const error = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  return error as APIError;
}
