// The models of a custom provider as an operator describes them, with the catalog's terms. All problems are reported at
// once.
import {
  capabilities,
  capabilityValues,
  isCapability,
  isCapabilityName,
  isModelName,
} from '../../common/model-facts.ts';
import type { ProviderModel, ProviderModel__Output } from '../../proto/generated/gateway/v1/ProviderModel.ts';
import { type Field, invalid, optional, type Problem, valid } from './field.ts';
import { modelPrices } from './model-prices.ts';

export const modelsMax = 100;
/**
 * The length of one provider's models as JSON. An organization's record contains all of them and must fit into a
 * message.
 */
export const modelsTextLengthMax = 32 * 1024;
const tokensMax = 1_000_000_000;

type Complain = (at: string, description: string) => void;

/** @param today the date of prices without one, YYYY-MM-DD */
export function providerModels(
  today: string,
): (message: { readonly models: readonly ProviderModel__Output[] }) => Field<readonly ProviderModel[]> {
  return ({ models }) => {
    if (models.length > modelsMax) return invalid(`must contain at most ${modelsMax} models`, '.models');
    const problems: Problem[] = [];
    const names = new Set<string>();
    const read = models.map((model, index) => {
      const complain: Complain = (at, description) => problems.push({ at: `.models[${index}]${at}`, description });
      if (names.has(model.name)) complain('.name', 'is there twice');
      names.add(model.name);
      return readModel(model, today, complain);
    });
    if (problems.length > 0) return { problems };
    return JSON.stringify(read).length > modelsTextLengthMax
      ? invalid(`must be at most ${modelsTextLengthMax} characters as JSON`, '.models')
      : valid(read);
  };
}

/** Writes the names in a fixed order, so that equal models are equal texts. */
function readModel(model: ProviderModel__Output, today: string, complain: Complain): ProviderModel {
  const { name, maxInputTokens, maxOutputTokens, prices } = model;
  if (!isModelName(name)) complain('.name', 'must be a model name such as llama-3.3-70b, as the provider takes it');
  for (const [at, tokens] of [
    ['.max_input_tokens', maxInputTokens],
    ['.max_output_tokens', maxOutputTokens],
  ] as const) {
    if (tokens !== undefined && (tokens < 1 || tokens > tokensMax)) complain(at, `must be from 1 to ${tokensMax}`);
  }
  if (!model.capabilities.every(isCapability)) {
    complain('.capabilities', `must be of ${capabilities.join(', ')}`);
  }
  const read = optional(modelPrices(today), prices);
  if ('problems' in read) for (const problem of read.problems) complain(`.prices${problem.at}`, problem.description);
  return {
    name,
    ...(maxInputTokens !== undefined && { maxInputTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: capabilities.filter((one) => model.capabilities.includes(one)),
    ...('value' in read && read.value !== undefined && { prices: read.value }),
    traits: readCapabilities(model.traits, complain),
  };
}

function readCapabilities(listed: Readonly<Record<string, string>>, complain: Complain): Record<string, string> {
  const entries = Object.entries(listed).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, value] of entries) {
    if (!isCapabilityName(name)) {
      complain('.traits', `must have names of ${Object.keys(capabilityValues).join(', ')}`);
      continue;
    }
    const values = capabilityValues[name].map(String);
    if (!values.includes(value)) complain(`.traits[${name}]`, `must be one of ${values.join(', ')}`);
  }
  return Object.fromEntries(entries);
}
