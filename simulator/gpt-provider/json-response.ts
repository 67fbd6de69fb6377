// The vendor's JSON bodies, and the headers of all its responses.
import type { Json } from '../checks.ts';
import type { ResponseContext, SimulatedResponse } from '../wire-format.ts';
import type { ChatRequest } from './request.ts';

export function jsonResponse(status: number, value: Json, context: ResponseContext): SimulatedResponse {
  const headers = { ...vendorHeaders(context), 'content-type': 'application/json' };
  return { status, headers, parts: [stringify(value)], behaviour: {} };
}

export function stringify(value: Json): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

export function vendorHeaders({ sequence }: ResponseContext): Readonly<Record<string, string>> {
  return {
    'openai-organization': 'org-simulated',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_simulated${sequence}`,
  };
}

export function rateLimitHeaders({ promptTokens }: ChatRequest): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '30000000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-remaining-tokens': String(30_000_000 - promptTokens),
    'x-ratelimit-reset-requests': '6ms',
    'x-ratelimit-reset-tokens': '0s',
  };
}
