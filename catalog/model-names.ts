// Which names a model has. Each has one canonical name, `<provider>/<primary id>`; catalog/synonyms.json says which further names a
// vendor takes for the very same model. Allow-lists, limits, prices, usage and logs know models by these names, so that nobody passes
// a limit by another spelling. What is sent to a vendor is what the caller sent.
import { isVendorName } from '../common/vendors.ts';
import type { Catalog } from './catalog.ts';
import { catalogInForce } from './in-force.ts';
import synonymsJson from './synonyms.json' with { type: 'json' };

/**
 * @param model `<provider>/<name>`: the canonical name of the provider, and any name of a model as it would be sent to it
 * @returns its canonical name; a name that the catalog does not know is its own
 */
export function canonicalModel(model: string): string {
  return index().primaries.get(model) ?? model;
}

/** As canonicalModel, and an ARN that ends in a model's id becomes that model. Logs and usage keep the ARN, selectors do not. */
export function modelMeant(model: string): string {
  return canonicalModel(modelOfArn(model) ?? model);
}

/** All names of the model, the canonical one first. @param model by any of its names, as for canonicalModel */
export function namesOfModel(model: string): readonly string[] {
  const known = index().names.get(canonicalModel(model));
  if (known !== undefined) return known;
  const named = modelOfArn(model);
  return named === undefined ? [model] : [model, ...namesOfModel(named)];
}

/**
 * The names that limits are held against, in lower case: all of the model's, and the undated name that a dated one stands for. Some
 * vendors take names in any case, and a limit on `gpt-4o` counts each dated `gpt-4o-…` too, also one that the catalog has not heard of:
 * what a limit misses, nobody counts.
 */
export function limitNamesOfModel(model: string): readonly string[] {
  const { limitNames } = index();
  const remembered = limitNames.get(model);
  if (remembered !== undefined) return remembered;
  const own = namesOfModel(model).map((name) => name.toLowerCase());
  const undated = own.flatMap((name) => undatedName(name) ?? []);
  const all = [...new Set([...own, ...undated])];
  if (limitNames.size >= rememberedMax) limitNames.clear();
  limitNames.set(model, all);
  return all;
}

/** Whether the catalog has heard of the model, by whichever of its names. */
export function isInCatalog(model: string): boolean {
  return namesOfModel(model).some((name) => index().names.has(name) || isFineTuned(name));
}

/** Canonical names of the models that answer chat completions. */
export function chatModels(): readonly string[] {
  return index().chat;
}

/** All names in the catalog that begin with `<provider>/`, synonyms among them. */
export function catalogNamesOf(provider: string): readonly string[] {
  return index().byProvider.get(provider) ?? [];
}

/**
 * Beginnings of names that no catalog can list: deployments have the names that their operators gave them, and ARNs and fine-tuned
 * models are the account's own.
 */
export const openNames: readonly string[] = ['studio-ai/', 'managed-cloud-models/arn:', 'gpt-provider/ft:'];

const rememberedMax = 2000;

type Synonyms = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const fineTuned = 'gpt-provider/ft:';

const indexes = new WeakMap<Catalog, ReturnType<typeof indexed>>();

/** Of the catalog in force. */
function index(): ReturnType<typeof indexed> {
  const catalog = catalogInForce();
  const known = indexes.get(catalog);
  if (known !== undefined) return known;
  const built = indexed(catalog.models, synonymsJson);
  indexes.set(catalog, built);
  return built;
}

function indexed(rows: Catalog['models'], synonyms: Synonyms) {
  const primaries = new Map<string, string>();
  const names = new Map<string, readonly string[]>();
  for (const [provider, models] of Object.entries(synonyms)) {
    for (const [primary, others] of Object.entries(models)) {
      const all = [primary, ...others].map((name) => `${provider}/${name}`);
      for (const name of all.slice(1)) {
        if (primaries.has(name)) throw new Error(`catalog/synonyms.json holds ${name} twice`);
        primaries.set(name, `${provider}/${primary}`);
      }
      names.set(`${provider}/${primary}`, all);
    }
  }
  const inRows = rows.map(({ provider, name }) => `${provider}/${name}`);
  for (const name of inRows) if (!primaries.has(name) && !names.has(name)) names.set(name, [name]);
  const chat = rows.filter((row) => row.chat).map(({ provider, name }) => `${provider}/${name}`);
  return {
    /** Remembered: callers choose model names, so it is bounded. */
    limitNames: new Map<string, readonly string[]>(),
    /** Canonical names by synonym. */
    primaries,
    /** All names of a model by its canonical one. */
    names,
    chat: chat.filter((name) => !primaries.has(name) && !name.startsWith(fineTuned)),
    byProvider: Map.groupBy([...new Set([...inRows, ...primaries.keys()])], (name) =>
      name.slice(0, name.indexOf('/')),
    ),
  };
}

/** `ft:<base>:<organization>::<id>` of a base that has a row. */
function isFineTuned(name: string): boolean {
  if (!name.startsWith(fineTuned)) return false;
  const end = name.indexOf(':', fineTuned.length);
  return end !== -1 && index().names.has(name.slice(0, end));
}

// docs.aws.amazon.com/service-authorization/latest/reference/list_amazonbedrock.html: both resources end in the model's own id.
const arnOfModel =
  /^managed-cloud-models\/arn:aws[a-z-]*:bedrock:[a-z0-9-]*:\d*:(?:foundation-model|inference-profile)\/([^/]+)$/;

function modelOfArn(model: string): string | undefined {
  const id = arnOfModel.exec(model)?.[1];
  return id === undefined ? undefined : `managed-cloud-models/${id}`;
}

const datedForm = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/** Of a deployment, or of a model of a custom provider, a date is part of the name. */
function undatedName(name: string): string | undefined {
  const provider = name.slice(0, name.indexOf('/'));
  if (!isVendorName(provider) || name.startsWith('studio-ai/')) return undefined;
  const undated = name.replace(datedForm, '');
  return undated !== name && index().names.has(undated) ? undated : undefined;
}
