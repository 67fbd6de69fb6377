// A request to the vendor about a response that it has stored.
import type { Authorize } from '../providers/credentials/credential.ts';
import type { Target } from '../providers/provider.ts';
import type { PlainContext, PlainResponse } from '../upstream/plain-exchange.ts';
import type { StoredRow } from './routes.ts';

export interface StoredRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly origin: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: undefined;
}

/**
 * Sends a request to a provider.
 * @throws GatewayError upstream_unreachable, upstream_protocol_error, overloaded; or the error that aborted it
 */
export type FetchStored = (request: StoredRequest, context: PlainContext) => Promise<PlainResponse>;

export type StoredAction = StoredRow['operation'];

const methods = { read: 'GET', items: 'GET', cancel: 'POST', delete: 'DELETE' } as const;
const paths = { read: '', items: '/input_items', cancel: '/cancel', delete: '' } as const;

export interface StoredPath {
  readonly action: StoredAction;
  /** The vendor's. */
  readonly id: string;
  readonly query?: URLSearchParams;
}

/** @param now milliseconds since 1970 */
export async function storedRequest(
  target: Target,
  { action, id, query = new URLSearchParams() }: StoredPath,
  now: number,
): Promise<StoredRequest> {
  const { provider, baseUrl } = target;
  const authorize: Authorize = provider.authorize;
  const rest = `${encodeURIComponent(id)}${paths[action]}${query.size === 0 ? '' : `?${query}`}`;
  const written = {
    origin: baseUrl.origin,
    path: `${baseUrl.path}/responses/${rest}`,
    headers: ['accept', 'application/json', 'user-agent', 'model-gateway'],
    body: '',
  };
  const headers = await authorize(written, target, now);
  return { method: methods[action], origin: written.origin, path: written.path, headers, body: undefined };
}
