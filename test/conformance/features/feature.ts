// What becomes of one feature of a request at each provider: a row of the table that the conformance tests take their cases from and
// docs/providers.md its matrix. Nothing here knows how a test or a page is made.
import { type VendorName, vendorNames } from '../../../common/vendors.ts';
import type { Behaviour } from '../../../simulator/behaviour.ts';

export type Json = Readonly<Record<string, unknown>>;

export type PerVendor<T> = Readonly<Partial<Record<VendorName, T>>>;

export interface Feature {
  /** As a person would call it, fields in backquotes. */
  readonly name: string;
  /** Fields of the request, its messages among them where the feature is in those. */
  readonly ask: Json;
  /** What the vendor says, where its own answer would show nothing. */
  readonly says?: Behaviour;
  /** Models that the feature is about, where that is not the one of most tests. */
  readonly models?: PerVendor<string>;
  readonly at: Readonly<Record<VendorName, Outcome>>;
  /** Where a stream differs. */
  readonly streamed?: PerVendor<Outcome>;
}

export type Outcome =
  /** The vendor has it, there in its body. `dropped` is what of the request it has not. */
  | { readonly is: 'native'; readonly at: string; readonly value?: unknown; readonly dropped?: string }
  /** Something like it is done by other means, there in the vendor's body. */
  | {
      readonly is: 'emulated';
      readonly how: string;
      readonly at: string;
      readonly value?: unknown;
      /** The field, where the caller is told of it in `x-svc-emulated-params`. */
      readonly names?: string;
    }
  /** Fetched by the gateway first. */
  | { readonly is: 'fetched' }
  /** There in the caller's answer. */
  | { readonly is: 'told'; readonly at: string; readonly value?: unknown; readonly dropped?: string }
  /** The vendor does not get it, and the caller is told that in `x-svc-dropped-params`. */
  | { readonly is: 'dropped'; readonly names: string }
  /** The vendor does not get it, or there is nothing to tell. */
  | { readonly is: 'left out'; readonly dropped?: string }
  | { readonly is: 'refused'; readonly param: string }
  /** It goes to the vendor, who refuses it of this model. */
  | { readonly is: 'refused by vendor'; readonly param: string | null };

/** The same of every vendor, but for those that differ: a new one needs to be in the rows where it does, and a test finds them. */
export function usually(usual: Outcome, differing: PerVendor<Outcome> = {}): Feature['at'] {
  const outcomes = vendorNames.map((name) => [name, differing[name] ?? usual] as const);
  return Object.fromEntries(outcomes) as Feature['at'];
}

/**
 * @param value absent: whatever stands there
 * @param dropped what of the request is dropped all the same
 */
export function native(at: string, value?: unknown, dropped?: string): Outcome {
  return { is: 'native', at, value, ...(dropped !== undefined && { dropped }) };
}

export function emulated(how: string, at: string, value?: unknown): Outcome {
  return { is: 'emulated', how, at, value };
}

/** The same, named in `x-svc-emulated-params`. */
export function emulatedAndNamed(names: string, how: string, at: string, value?: unknown): Outcome {
  return { is: 'emulated', how, at, value, names };
}

export function reported(at: string, value?: unknown, dropped?: string): Outcome {
  return { is: 'told', at, value, ...(dropped !== undefined && { dropped }) };
}

export function dropped(...names: readonly string[]): Outcome {
  return { is: 'dropped', names: names.join(',') };
}

export function refused(param: string): Outcome {
  return { is: 'refused', param };
}

export function vendorRefuses(param: string | null): Outcome {
  return { is: 'refused by vendor', param };
}

export const leftOut = { is: 'left out' } as const satisfies Outcome;
export const fetched: Outcome = { is: 'fetched' };
