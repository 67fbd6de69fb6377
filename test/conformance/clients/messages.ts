// The official SDK of the Messages API as a client of the gateway.
import Anthropic from '@anthropic-ai/sdk';
import type { VendorName } from '../../../common/vendors.ts';
import { modelAt, useScene } from './scene.ts';

export type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'max_tokens'> & {
  readonly max_tokens?: number;
};

export function useMessagesClient() {
  const clients = useScene();
  const client = (options: object = {}) => {
    const { gateway, key } = clients.scene;
    return new Anthropic({ baseURL: gateway.proxy.url, apiKey: key, maxRetries: 0, ...options });
  };
  return {
    clients,
    client,
    create: (vendor: VendorName, params: Params, model?: string) =>
      client().messages.create({ model: modelAt(vendor, model), max_tokens: 4096, ...params }),
  };
}

export const hello = [{ role: 'user' as const, content: 'Hello' }];

export const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
