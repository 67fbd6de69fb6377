// One page of a list, by cursors in the query of a request.
import { GatewayError } from '../errors.ts';

/** @returns the number, at most `max`. @throws GatewayError invalid_request that names the parameter */
export function pageSize(
  query: URLSearchParams,
  name: string,
  { usual, max }: { readonly usual: number; readonly max: number },
): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (/^[1-9]\d{0,8}$/.test(text)) return Math.min(Number(text), max);
  throw new GatewayError('invalid_request', { param: name, message: `${name} must be a whole number above 0` });
}

/** @throws GatewayError invalid_request that names the parameter */
export function indexOfId<T extends { readonly id: string }>(items: readonly T[], id: string, name: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index;
  throw new GatewayError('invalid_request', { param: name, message: `${name} is no entry of this list; start again` });
}
