// One row of the feature table: how each provider handles one feature of a request. The conformance tests take their
// cases from the table, and docs/providers.md takes its matrix from it. This file does not depend on tests or pages.
import { type VendorName, vendorNames } from '../../../common/vendors.ts';
import type { Behaviour } from '../../../simulator/behaviour.ts';

export type Json = Readonly<Record<string, unknown>>;

export type PerVendor<T> = Readonly<Partial<Record<VendorName, T>>>;

export interface Feature {
  /** The feature in plain words, with fields in backquotes. */
  readonly name: string;
  /** Fields of the request, including its messages if the feature is in the messages. */
  readonly ask: Json;
  /** The vendor's response, if its default response would not show the feature. */
  readonly says?: Behaviour;
  /** Models for this feature, where the model of most tests does not fit. */
  readonly models?: PerVendor<string>;
  readonly at: Readonly<Record<VendorName, Outcome>>;
  /** Outcomes of a stream, where they differ. */
  readonly streamed?: PerVendor<Outcome>;
}

export type Outcome =
  /**
   * The vendor has the feature, at this path of its body. `dropped` names the part of the request that it does not
   * have.
   */
  | { readonly is: 'native'; readonly at: string; readonly value?: unknown; readonly dropped?: string }
  /** The gateway achieves a similar effect by other means, at this path of the vendor's body. */
  | {
      readonly is: 'emulated';
      readonly how: string;
      readonly at: string;
      readonly value?: unknown;
      /** The field, if the gateway names it in `x-svc-emulated-params`. */
      readonly names?: string;
      readonly dropped?: string;
    }
  /** The gateway fetches the resource first. */
  | { readonly is: 'fetched' }
  /** The caller finds it at this path of its response. */
  | { readonly is: 'returned'; readonly at: string; readonly value?: unknown; readonly dropped?: string }
  /** The vendor does not get it, and `x-svc-dropped-params` names it. */
  | { readonly is: 'dropped'; readonly names: string }
  /** The vendor does not get it, or there is nothing to report. */
  | { readonly is: 'left out'; readonly dropped?: string }
  | { readonly is: 'refused'; readonly param: string }
  /** The gateway sends it to the vendor, and the vendor refuses it for this model. */
  | { readonly is: 'refused by vendor'; readonly param: string | null };

/**
 * The usual outcome for every vendor, except for those that differ. A new vendor must be added to the rows where it
 * differs; a test finds these rows.
 */
export function usually(usual: Outcome, differing: PerVendor<Outcome> = {}): Feature['at'] {
  const outcomes = vendorNames.map((name) => [name, differing[name] ?? usual] as const);
  return Object.fromEntries(outcomes) as Feature['at'];
}

/**
 * @param value absent: any value
 * @param dropped the part of the request that is dropped nevertheless
 */
export function native(at: string, value?: unknown, dropped?: string): Outcome {
  return { is: 'native', at, value, ...(dropped !== undefined && { dropped }) };
}

export function emulated(how: string, at: string, value?: unknown): Outcome {
  return { is: 'emulated', how, at, value };
}

/** As `emulated`, and named in `x-svc-emulated-params`. */
export function emulatedAndNamed(names: string, how: string, at: string, value?: unknown): Outcome {
  return { is: 'emulated', how, at, value, names };
}

export function reported(at: string, value?: unknown, dropped?: string): Outcome {
  return { is: 'returned', at, value, ...(dropped !== undefined && { dropped }) };
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
