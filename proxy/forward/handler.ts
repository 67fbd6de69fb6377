// THE REQUEST PATH in forward mode, read top to bottom. Its stages have the same names as in http/handler.ts.
// Nothing is parsed or buffered: the egress gateway authenticates the caller and decides what it may call.
import { type AttachedKey, attachingHeader } from '../access/attached-key.ts';
import { GatewayError } from '../errors.ts';
import type { Admission } from '../http/admission.ts';
import type { Exchange } from '../http/exchange.ts';
import { clientFormatOf, findTarget, routeForm } from '../http/match.ts';
import { type Handler, type LifecycleDeps, withLifecycle } from '../http/request-lifecycle.ts';
import { dispatch, type EgressDeps } from './dispatch.ts';
import { type AddedHeaders, forwardedHeaders } from './headers.ts';
import { relay } from './relay.ts';

export interface ForwardDeps extends LifecycleDeps, EgressDeps {
  readonly admission: Admission;
  /** For requests without a virtual key. */
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

  // match: only to decide how the key is attached. A route unknown here may exist at the egress gateway, or is refused
  // there.
  const { url = '' } = request;
  if (!url.startsWith('/')) throw new GatewayError('route_not_found');
  const form = routeForm(url);
  const onProviderRoute = form === 'provider chat';
  record.route = onProviderRoute ? 'chat' : form;
  if (form !== 'none') record.clientFormat = clientFormatOf(findTarget(url), exchange.headers);
  record.direct = onProviderRoute || exchange.headers.get('x-svc-direct-key')?.toLowerCase() === 'true';

  // admit
  exchange.ticket = deps.admission.admit(tenant);

  // dispatch: the body streams as it arrives, and the response may arrive before the body is complete.
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
