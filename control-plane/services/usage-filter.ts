// The filters of usage totals: the single values of the request, and the lists of its `filter`. Both apply.
import { canonicalSelector, selectsModel } from '../../catalog/model-selector.ts';
import { canonicalVendorName } from '../../common/vendors.ts';
import type { UsageTotalsRequest__Output } from '../../proto/generated/gateway/v1/UsageTotalsRequest.ts';
import { each, type Field, invalid, optional, valid } from '../domain/field.ts';
import { spentSelector } from '../domain/model-selector.ts';
import { id, modelGlob } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { modelsUsed, type UsageNarrowing } from '../usage/totals.ts';
import { readKnownModels } from './known-models.ts';
import type { ReadCall } from './method.ts';

const valuesMax = 100;
const modelsMax = 20;

type Filtered = Pick<UsageTotalsRequest__Output, 'filter'> &
  Partial<Pick<UsageTotalsRequest__Output, 'aiSystemId' | 'personId' | 'keyId' | 'model' | 'provider'>>;

/** @throws CallError */
export function narrowing(request: Filtered): UsageNarrowing {
  const { filter } = request;
  const fields = checked({
    ai_system_id: optional(id, request.aiSystemId),
    person_id: optional(id, request.personId),
    key_id: optional(id, request.keyId),
    model: optional(modelGlob, request.model),
    provider: optional(providerName, request.provider),
    'filter.ai_system_ids': listOf(id, filter?.aiSystemIds),
    'filter.person_ids': listOf(id, filter?.personIds),
    'filter.key_ids': listOf(id, filter?.keyIds),
    'filter.models': listOf(modelGlob, filter?.models, modelsMax),
    'filter.providers': listOf(providerName, filter?.providers),
  });
  return {
    ai_system: both(fields.ai_system_id, fields['filter.ai_system_ids']),
    person: both(fields.person_id, fields['filter.person_ids']),
    key: both(fields.key_id, fields['filter.key_ids']),
    provider: both(fields.provider, fields['filter.providers']),
  };
}

function listOf<T>(read: (text: string) => Field<T>, values: readonly string[] = [], max = valuesMax) {
  if (values.length > max) return invalid(`must contain at most ${max}`);
  return each(read, values);
}

/** The values that both allow; an empty list allows all. */
function both(one: string | undefined, list: readonly string[]): readonly string[] | undefined {
  if (one === undefined) return list.length === 0 ? undefined : list;
  return list.length === 0 || list.includes(one) ? [one] : [];
}

/** Reads the name of a provider as its canonical name. */
function providerName(text: string): Field<string> {
  return /^[a-z0-9-]{1,63}$/.test(text)
    ? valid(canonicalVendorName(text) ?? text)
    : invalid('must be the name of a provider');
}

/**
 * The used models that the request selects, undefined for all, and the match of its `model`. A used model may no longer
 * be in any catalog, so a selector that matches used models is valid.
 * @throws CallError if a selector matches nothing
 */
export async function selectedModels(
  { db }: ReadCall,
  request: Filtered & Pick<UsageTotalsRequest__Output, 'organizationId' | 'allowUnmatched'>,
  range: Parameters<typeof modelsUsed>[1],
) {
  const { organizationId, model, allowUnmatched, filter } = request;
  const listed = filter?.models ?? [];
  if (model === undefined && listed.length === 0) return { models: undefined, match: undefined };
  const used = await modelsUsed(db, range);
  const known = await readKnownModels(db, organizationId, [model, ...listed]);
  const usedOf = (selector: string) => {
    const canonical = canonicalSelector(selector);
    return used.filter((one) => selectsModel(canonical, one));
  };
  const read = (selector: string) =>
    spentSelector(known, allowUnmatched === true || usedOf(selector).length > 0)(selector);
  const { model: written } = checked({ model: optional(read, model), 'filter.models': each(read, listed) });
  const ofList = new Set(listed.flatMap(usedOf));
  const ofModel = model === undefined ? used : usedOf(model);
  return {
    models: listed.length === 0 ? ofModel : ofModel.filter((one) => ofList.has(one)),
    match: written?.match,
  };
}
