// Options of InvokeModel beside its body (SDK type `InvokeModelRequest`): the SDK sends them as headers.
import type { DearField, PassedRequest } from '../client-format.ts';
import { ofAccount } from '../client-losses.ts';
import { tierField } from '../dear-fields.ts';

interface HeaderOption {
  /** Its name in the SDK. */
  readonly name: string;
  /** The value that says what is so without it. */
  readonly usual?: string;
  /** The vendor's guardrails belong to its whole account, and a response without one means something else. */
  readonly isOfAccount?: true;
  /** Its value is a service tier, or names one. */
  readonly isTier?: true;
}

const metadataHeader = 'x-amzn-bedrock-request-metadata';
const metadata: HeaderOption = { name: 'requestMetadata' };

const options: ReadonlyMap<string, HeaderOption> = new Map<string, HeaderOption>([
  ['x-amzn-bedrock-guardrailidentifier', { name: 'guardrailIdentifier', isOfAccount: true }],
  ['x-amzn-bedrock-guardrailversion', { name: 'guardrailVersion', isOfAccount: true }],
  ['x-amzn-bedrock-performanceconfig-latency', { name: 'performanceConfigLatency', usual: 'standard', isTier: true }],
  [metadataHeader, metadata],
  ['x-amzn-bedrock-service-tier', { name: 'serviceTier', usual: 'default', isTier: true }],
  ['x-amzn-bedrock-trace', { name: 'trace', usual: 'DISABLED' }],
]);

/** @param name in lower case */
export function isInvokeOption(name: string): boolean {
  return options.has(name);
}

export interface SentOptions {
  /** Names of those that only the client's own account may use. */
  readonly ofAccount: readonly string[];
  readonly others: readonly string[];
}

/** @param headers alternating names, in lower case, and values */
export function optionsIn(headers: readonly string[]): SentOptions {
  const sent = headers.flatMap((header, index) => {
    const option = index % 2 === 0 ? options.get(header) : undefined;
    return option === undefined || option.usual === headers[index + 1] ? [] : [option];
  });
  return {
    ofAccount: sent.filter(({ isOfAccount }) => isOfAccount).map(({ name }) => name),
    others: sent.filter(({ isOfAccount }) => !isOfAccount).map(({ name }) => name),
  };
}

/** Options with a price. With a stored key, the vendor gets none of them. @param headers as in {@link optionsIn} */
export function dearOptions(headers: readonly string[]): readonly DearField[] {
  return headers.flatMap((header, index) => {
    const option = index % 2 === 0 ? options.get(header) : undefined;
    if (option?.isTier !== true) return [];
    return tierField(headers[index + 1], option.name).map((field) => ({ ...field, isCovered: true as const }));
  });
}

/**
 * With the caller's own key, they pass as they are. With a stored one, none does: tiers and latencies cost more, by
 * prices that no field of the body shows. Metadata never passes, because no guardrail inspects headers.
 * @throws GatewayError unsupported_parameter
 */
export function withInvokeOptions(passed: PassedRequest, isOwnKey: boolean): PassedRequest {
  const { ofAccount: refused, others } = optionsIn(passed.headers);
  const [first] = refused;
  if (first !== undefined && !isOwnKey) throw ofAccount(first);
  const lost = isOwnKey ? others.filter((name) => name === metadata.name) : others;
  const headers = isOwnKey ? passed.headers.filter((_part, index) => !isMetadata(passed.headers, index)) : [];
  return { ...passed, dropped: [...passed.dropped, ...lost], headers };
}

/** Whether this is the name or the value of the header. */
function isMetadata(headers: readonly string[], index: number): boolean {
  return headers[index - (index % 2)] === metadataHeader;
}
