// THE REQUEST PATH of a proxy that forwards, read top to bottom; its stages have the names that they have in http/handler.ts.
// Nothing is parsed or held: who calls and what may be called is decided by the egress gateway.
import { type AttachedKey, attachingHeader } from '../access/attached-key.ts';
import { GatewayError } from '../errors.ts';
import type { Admission } from '../http/admission.ts';
import type { Exchange } from '../http/exchange.ts';
import { routeForm } from '../http/match.ts';
import { type Handler, type LifecycleDeps, withLifecycle } from '../http/request-lifecycle.ts';
import { dispatch, type EgressDeps } from './dispatch.ts';
import { type AddedHeaders, forwardedHeaders } from './headers.ts';
import { relay } from './relay.ts';

export interface ForwardDeps extends LifecycleDeps, EgressDeps {
  readonly admission: Admission;
  /** For requests that bring no virtual key. */
  readonly attachedKey: AttachedKey | undefined;
  isDraining(): boolean;
}

export function createForwardHandler(deps: ForwardDeps): Handler {
  return withLifecycle(deps, (exchange) => respond(exchange, deps));
}

/** A sidecar has one tenant. */
const tenant = { organization: 'tenant', key: 'tenant' };

async function respond(exchange: Exchange, deps: ForwardDeps): Promise<void> {
  const { record, request } = exchange;
  // accept
  if (deps.isDraining()) throw new GatewayError('draining', { retryAfter: 1 });

  // match: as far as it says where the key is attached. What is no route here may be one there, or is refused there.
  const { url = '' } = request;
  if (!url.startsWith('/')) throw new GatewayError('route_not_found');
  const form = routeForm(url);
  const onProviderRoute = form === 'provider chat';
  record.route = onProviderRoute ? 'chat' : form;
  record.direct = onProviderRoute || exchange.headers.get('x-svc-direct-key')?.toLowerCase() === 'true';

  // admit
  exchange.ticket = deps.admission.admit(tenant);

  // dispatch: the body flows on as it comes, and the answer may be here before all of it is.
  const added = { requestId: exchange.id, key: keyFor(exchange, onProviderRoute, deps.attachedKey) };
  const call = await dispatch(exchange, forwardedHeaders(request.rawHeaders, added), deps);

  // relay
  await relay(exchange, call);
}

function keyFor(
  { headers }: Exchange,
  onProviderRoute: boolean,
  attached: AttachedKey | undefined,
): AddedHeaders['key'] {
  if (attached === undefined) return undefined;
  const header = attachingHeader(headers, onProviderRoute);
  return header === undefined ? undefined : { header, value: attached.current.reveal() };
}
