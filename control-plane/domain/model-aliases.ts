// An organization's own names for models. A name leads to one model of one provider, never to another name, so that
// allow-lists, limits and prices have one model to apply to. No problem repeats the submitted text.
import { isGlob } from '../../catalog/model-selector.ts';
import { isModelName } from '../../common/model-facts.ts';
import { meansVendor } from '../../common/vendors.ts';
import { all, each, type Field, invalid, valid } from './field.ts';
import { isRoute, type KnownModels, modelSelector } from './model-selector.ts';

export interface ModelAlias {
  readonly name: string;
  /** `<provider>/<model>` with the canonical name of the provider. */
  readonly model: string;
}

const aliasesMax = 200;

/** @param insists accepts a model that is not known */
export function modelAliases(
  known: KnownModels,
  insists: boolean,
): (list: { readonly aliases: readonly ModelAlias[] }) => Field<readonly ModelAlias[]> {
  const read = (alias: ModelAlias) =>
    all({ '.name': aliasName(alias.name), '.model': aliasedModel(alias.model, known, insists) });
  return ({ aliases }) => {
    if (aliases.length > aliasesMax) return invalid(`has at most ${aliasesMax} names`, '.aliases');
    const second = aliases.findIndex(({ name }, index) => aliases.findIndex((one) => one.name === name) < index);
    if (second !== -1) return invalid('is listed twice', `.aliases[${second}].name`);
    const list = each(read, aliases);
    if ('problems' in list) {
      return { problems: list.problems.map((problem) => ({ ...problem, at: `.aliases${problem.at}` })) };
    }
    return valid(list.value.map((alias) => ({ name: alias['.name'], model: alias['.model'] })));
  };
}

function aliasName(name: string): Field<string> {
  if (!isModelName(name)) return invalid('must be 1 to 256 characters that names of models have, and no credential');
  const beginning = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
  if (beginning === 'route') return invalid('begins with route/, which names a route');
  if (beginning === 'shadow') return invalid("begins with shadow/, which names a route's copies of requests");
  return meansVendor(beginning) ? invalid('begins with a provider, so it already names a model') : valid(name);
}

function aliasedModel(model: string, known: KnownModels, insists: boolean): Field<string> {
  if (isGlob(model)) return invalid('must name one model, <provider>/<model>');
  if (isRoute(model)) return invalid('is a route; it must be a model, <provider>/<model>');
  const field = modelSelector(known, insists)(model);
  return 'problems' in field ? field : valid(field.value.stored);
}
