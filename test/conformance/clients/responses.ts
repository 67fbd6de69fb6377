// The official SDK of the GPT vendor as a client of the Responses API at the gateway.
import OpenAI, { type APIError } from 'openai';
import type { VendorName } from '../../../common/vendors.ts';
import { modelAt, useScene } from './scene.ts';

export type Params = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model' | 'stream'>;
export type Item = OpenAI.Responses.ResponseInputItem;

export function useResponsesClient() {
  const clients = useScene();
  const client = (apiKey = clients.scene.key) =>
    new OpenAI({ baseURL: `${clients.scene.gateway.proxy.url}/v1`, apiKey, maxRetries: 0 });
  return {
    clients,
    client,
    create: (vendor: VendorName, params: Params) => client().responses.create({ model: modelAt(vendor), ...params }),
    stream: (vendor: VendorName, params: Params) => client().responses.stream({ model: modelAt(vendor), ...params }),
  };
}

/** Types of events; those of repeated pieces once. */
export const orderOf = (events: readonly { readonly type: string }[]) =>
  events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);

export const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error as APIError);

export const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

/** A tool whose input is text of a grammar. */
export const patch: OpenAI.Responses.CustomTool = {
  type: 'custom',
  name: 'patch',
  description: 'Changes files',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
};
