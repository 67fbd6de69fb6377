// The GPT vendor, whose format is also the callers'.
import { vendorIdentity } from '../../common/vendors.ts';
import { chatCompletions } from '../formats/chat-completions/index.ts';
import { passesToVendor } from '../formats/chat-completions/passed-fields.ts';
import { bearer } from './credentials/api-key.ts';
import type { Provider } from './provider.ts';

export const gptProvider: Provider = {
  ...vendorIdentity('gpt-provider'),
  routeCredential: 'bearer',
  authorize: bearer,
  format: chatCompletions,
  path: ({ target }) => `${target.baseUrl.path}/chat/completions`,
  fetchesImages: false,
  passesField: passesToVendor,
  streamStops: { value: true, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
};
