// The fields of a request that make its vendor charge more than the usual price. The organization's setting for priced
// options and reservations read the same rows: the service tier, which chat completions have for every format, and what
// the client's format has beside it.
import type { OrganizationRecord } from '../access/principal.ts';
import type { ChatCall } from '../call.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { DearField } from '../formats/client-format.ts';
import { refusedField } from '../formats/client-losses.ts';
import { tierField } from '../formats/dear-fields.ts';
import { nativeTargets, type ToolCall } from './native-targets.ts';

/** Those that one of the targets gets and that a reservation has to cover by a price of their own. */
export function passedDearFields(call: ToolCall): readonly DearField[] {
  const own = ownFields(call.request).filter(({ isCovered }) => isCovered !== true);
  const passed = own.length === 0 || nativeTargets(call).length === 0 ? [] : own;
  return [...tierOf(call.request), ...passed];
}

/** What decides whether the options of a request pass. */
interface OptionCall extends Pick<ChatCall, 'request'> {
  readonly caller: {
    readonly direct: boolean;
    readonly principal: { readonly organization: Pick<OrganizationRecord, 'pricedOptions'> };
  };
}

/**
 * Refuses an option with a price, unless the organization allows it or the provider key is the caller's. Tiers that cost
 * less pass: the setting protects an organization from higher bills. An option is refused and not dropped, because the
 * response would be another one than was wanted: slower, or processed elsewhere. So it is for every provider, whatever
 * gets there: an alias that leads to another one changes nothing.
 * @throws GatewayError unsupported_parameter
 */
export function refusePricedOptions({ caller, request }: OptionCall): void {
  if (caller.direct || caller.principal.organization.pricedOptions) return;
  // Counting tokens costs nothing.
  if (request.client?.path.counts === true) return;
  const options = [...tierOf(request), ...ownFields(request)];
  const refused = options.find(({ isCheaper, isLimit }) => isLimit !== true && isCheaper !== true);
  if (refused === undefined) return;
  const { at } = refused;
  throw refusedField(at, `${at} changes the price of a request, and the organization does not allow options that do`);
}

function tierOf({ body, client }: ChatRequest): readonly DearField[] {
  return tierField(body.service_tier, client?.translation.fieldOf('service_tier') ?? 'service_tier');
}

function ownFields({ client }: ChatRequest): readonly DearField[] {
  return client?.translation.dearFields(client.body, client.headers) ?? [];
}
