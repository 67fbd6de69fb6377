// Shows what a vendor gets of a field: the request is read and written, by the code that clients' requests go through, once
// with the field and once without it.
import { isDeepStrictEqual } from 'node:util';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { GatewayError } from '../../proxy/errors.ts';
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import { buildRequest, nativeFormat, type ProviderCall } from '../../proxy/providers/provider.ts';
import { clientCallOf } from '../support/vendor-calls.ts';
import { plainModels } from '../support/vendors.ts';
import type { Json, Probe } from './probe.ts';

export type Outcome =
  /** The vendor has the client's format and gets the field as it is. */
  | { readonly is: 'passed' }
  /** The vendor's request differs because of it. */
  | { readonly is: 'mapped' }
  | { readonly is: 'emulated'; readonly names: readonly string[] }
  | { readonly is: 'dropped'; readonly names: readonly string[] }
  /** The vendor's request differs, and the rest of the field is dropped. */
  | { readonly is: 'in part'; readonly names: readonly string[] }
  | { readonly is: 'refused'; readonly param: string | undefined }
  /** The vendor's request is the same, and nobody is informed. */
  | { readonly is: 'silent' };

/** @throws Error if only the request without the field is refused, or if one of them is invalid */
export async function outcomeOf(format: ClientFormatName, vendor: VendorName, probe: Probe): Promise<Outcome> {
  const model = probe.models?.[vendor] ?? plainModels[vendor];
  const without = await written(format, vendor, { model, body: probe.without });
  const present = await written(format, vendor, { model, body: probe.with });
  // What the field needs may be refused already.
  if (!('body' in present)) return { is: 'refused', param: present.param };
  if (!('body' in without)) throw new Error(`${probe.path} at ${vendor}: ${without.message}`);
  const dropped = beyond(present.dropped, without.dropped);
  const emulated = beyond(present.emulated, without.emulated);
  const differs = !isDeepStrictEqual([present.path, present.body], [without.path, without.body]);
  if (dropped.length > 0) return { is: differs ? 'in part' : 'dropped', names: dropped };
  if (emulated.length > 0) return { is: 'emulated', names: emulated };
  if (!differs) {
    // What contains the field is dropped in both requests.
    const paths = [probe.path, probe.namedAs ?? probe.path];
    const around = present.dropped.filter((name) => paths.some((path) => isAbout(name, path)));
    return around.length > 0 ? { is: 'dropped', names: around } : { is: 'silent' };
  }
  return { is: present.isOwn ? 'passed' : 'mapped' };
}

export async function outcomesOf(
  format: ClientFormatName,
  probe: Probe,
): Promise<Readonly<Record<VendorName, Outcome>>> {
  const entries = await Promise.all(
    vendorNames.map(async (vendor) => [vendor, await outcomeOf(format, vendor, probe)] as const),
  );
  return Object.fromEntries(entries) as Record<VendorName, Outcome>;
}

interface Written {
  readonly path: string;
  readonly body: unknown;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  /** The vendor has the client's format. */
  readonly isOwn: boolean;
}

interface Refusal {
  /** The client's path of the field. */
  readonly param: string | undefined;
  readonly message: string;
}

async function written(
  format: ClientFormatName,
  vendor: VendorName,
  { model, body }: { readonly model: string; readonly body: Json },
): Promise<Written | Refusal> {
  let call: ProviderCall | undefined;
  try {
    call = clientCallOf(vendor, model, { format: clientFormats[format], body });
    const { path, body: text, dropped = [], emulated = [] } = await buildRequest(call);
    return { path, body: JSON.parse(text), dropped, emulated, isOwn: isOwn(format, call) };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'unsupported_parameter') throw error;
    const { param, isClientParam, message } = error;
    return { param: param && !isClientParam ? paramOf(param, call) : param, message };
  }
}

/** As respondError names it. */
function paramOf(param: string, call: ProviderCall | undefined): string {
  const client = call?.request.client;
  const [, message] = /^messages\[(\d+)\]/.exec(param) ?? [];
  return (message && client?.origins[Number(message)]) || (client?.translation.fieldOf(param) ?? param);
}

function isOwn(format: ClientFormatName, call: ProviderCall): boolean {
  return nativeFormat(call) !== undefined || call.target.provider.format.name === format;
}

/**
 * Whether a name in `x-svc-dropped-params` or the `param` of an error is that of a field, or of what contains it. Names
 * may leave out lists on the way: `messages.cache_control`.
 */
export function isAbout(name: string, path: string): boolean {
  const steps = stepsOf(path);
  let at = 0;
  return stepsOf(name).every((step) => {
    at = steps.indexOf(step, at) + 1;
    return at > 0;
  });
}

/** Members of lists have no number, and kinds of tools no date. */
function stepsOf(path: string): readonly string[] {
  const kinds = path.replaceAll(/\[(?:(\d+)|([^\]|]*)[^\]]*)\]/g, (_all, _index, kind: string | undefined) =>
    kind === undefined ? '' : `.${kind.replace(/_\d[\d_]*$/, '')}`,
  );
  return kinds.split('.');
}

function beyond(names: readonly string[], others: readonly string[]): readonly string[] {
  return names.filter((name) => !others.includes(name));
}
