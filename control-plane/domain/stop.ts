// What a stop stops, and the reason that callers get. Pure.

import { withoutKeyForms } from '../../common/key-forms.ts';
import { canonicalVendorName, isVendorName } from '../../common/vendors.ts';
import type { ModelMatch } from '../../proto/generated/gateway/v1/ModelMatch.ts';
import type { StopTarget__Output } from '../../proto/generated/gateway/v1/StopTarget.ts';
import { type Field, invalid, problemsAt, valid } from './field.ts';
import { isRoute, type KnownModels, modelSelector, type WrittenSelector } from './model-selector.ts';
import { time, visible } from './shared-fields.ts';

export const reasonLengthMax = 200;

/** Reads a reason, which others than its writer get. */
export function publicReason(text: string): Field<string> {
  const read = visible(text.trim().normalize('NFC'), reasonLengthMax);
  if (!('value' in read) || withoutKeyForms(read.value) === read.value) return read;
  return invalid('must not contain what looks like a key, because others get it');
}

/** Reads a time after `now`, in milliseconds. */
export function timeAfter(now: number): (text: string) => Field<number> {
  return (text) => {
    const read = time(text);
    return 'value' in read && read.value <= now ? invalid('must be in the future') : read;
  };
}

export interface WrittenStopTarget {
  readonly columns: { readonly provider: string | null; readonly model: string | null; readonly direct_keys: 0 | 1 };
  /** Of `model`, if there is one. */
  readonly match?: ModelMatch;
}

export interface StopRules {
  readonly known: KnownModels;
  /** Names of custom providers. */
  readonly customProviders: ReadonlySet<string>;
  /** Accepts a provider or a glob that selects no known model. */
  readonly insists: boolean;
}

/** Reads `target`: direct keys alone, or a provider, a model, or both. */
export function stopTarget(rules: StopRules): (target: StopTarget__Output | null) => Field<WrittenStopTarget> {
  return (target) => {
    const { provider: named, model, directKeys = false, organization } = target ?? {};
    const isOfModels = named !== undefined || model !== undefined;
    if (organization === true) return invalid('is only in records; suspend the organization instead', '.organization');
    if (directKeys === isOfModels) return invalid('must be a provider, a model of one, or the direct keys');
    if (directKeys) return valid({ columns: { provider: null, model: null, direct_keys: 1 } });
    const provider = named === undefined ? valid(null) : stoppedProvider(rules)(named);
    if ('problems' in provider) return { problems: problemsAt('.provider', provider) };
    if (model === undefined) return valid({ columns: { provider: provider.value, model: null, direct_keys: 0 } });
    const selector = stoppedModel(rules, provider.value)(model);
    if ('problems' in selector) return { problems: problemsAt('.model', selector) };
    const { stored, match } = selector.value;
    return valid({ columns: { provider: provider.value, model: stored, direct_keys: 0 }, match });
  };
}

const providerForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function stoppedProvider({ customProviders, insists }: StopRules): (text: string) => Field<string> {
  return (text) => {
    const name = canonicalVendorName(text) ?? text;
    if (isVendorName(name) || customProviders.has(name)) return valid(name);
    if (insists && providerForm.test(name)) return valid(name);
    return invalid('must be the name of a provider; set allow_unmatched for one that does not exist');
  };
}

/** @param provider null: the text names it */
function stoppedModel(
  { known, insists }: StopRules,
  provider: string | null,
): (text: string) => Field<WrittenSelector> {
  return (text) => {
    if (provider === null && isRoute(text)) return invalid('is a route; stop its models instead');
    return modelSelector(known, insists)(provider === null ? text : `${provider}/${text}`);
  };
}
