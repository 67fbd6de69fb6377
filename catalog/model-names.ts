// The names of a model. Each model has one canonical name, `<provider>/<primary id>`; catalog/synonyms.json lists
// further names that a vendor accepts for the same model. Allow-lists, limits, prices, usage and logs match models by
// all of these names, so that no caller can bypass a limit with another spelling. The vendor is sent the name that the
// caller sent.
import { isVendorName } from '../common/vendors.ts';
import type { Catalog } from './catalog.ts';
import { catalogInForce } from './in-force.ts';
import synonymsJson from './synonyms.json' with { type: 'json' };

/**
 * @param model `<provider>/<name>`: the canonical name of the provider, and any name by which it accepts the model
 * @returns the canonical name; a name that is not in the catalog is returned unchanged
 */
export function canonicalModel(model: string): string {
  return index().primaries.get(model) ?? model;
}

/**
 * Like canonicalModel, but an ARN that ends in a model's id becomes that model. Logs and usage keep the ARN; selectors
 * do not.
 */
export function modelMeant(model: string): string {
  return canonicalModel(modelOfArn(model) ?? model);
}

/** All names of the model, the canonical one first. @param model any name of the model, as for canonicalModel */
export function namesOfModel(model: string): readonly string[] {
  const known = index().names.get(canonicalModel(model));
  if (known !== undefined) return known;
  const named = modelOfArn(model);
  return named === undefined ? [model] : [model, ...namesOfModel(named)];
}

/**
 * The names that limits match, in lower case: all names of the model, and for a dated name also the undated one. Lower
 * case, because some vendors accept names in any case. A limit on `gpt-4o` also counts each dated `gpt-4o-…`, even one
 * that is not in the catalog; a request that no limit matches would not be counted at all.
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

/** Whether the model is in the catalog, under any of its names. */
export function isInCatalog(model: string): boolean {
  return namesOfModel(model).some((name) => index().names.has(name) || isFineTuned(name));
}

/** Canonical names of the models that serve chat completions. */
export function chatModels(): readonly string[] {
  return index().chat;
}

/** All names in the catalog that begin with `<provider>/`, synonyms among them. */
export function catalogNamesOf(provider: string): readonly string[] {
  return index().byProvider.get(provider) ?? [];
}

/**
 * Prefixes of names that no catalog can list: operators choose the names of deployments, and ARNs and fine-tuned models
 * belong to an account.
 */
export const openNames: readonly string[] = ['studio-ai/', 'managed-cloud-models/arn:', 'gpt-provider/ft:'];

const rememberedMax = 2000;

type Synonyms = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const fineTuned = 'gpt-provider/ft:';

const indexes = new WeakMap<Catalog, ReturnType<typeof indexed>>();

/** The index of the catalog in force, cached. */
function index(): ReturnType<typeof indexed> {
  const catalog = catalogInForce();
  const known = indexes.get(catalog);
  if (known !== undefined) return known;
  const built = indexed(catalog.names, synonymsJson);
  indexes.set(catalog, built);
  return built;
}

function indexed(rows: Catalog['names'], synonyms: Synonyms) {
  const primaries = new Map<string, string>();
  const names = new Map<string, readonly string[]>();
  for (const [provider, models] of Object.entries(synonyms)) {
    for (const [primary, others] of Object.entries(models)) {
      const all = [primary, ...others].map((name) => `${provider}/${name}`);
      for (const name of all.slice(1)) {
        if (primaries.has(name)) throw new Error(`catalog/synonyms.json contains ${name} twice`);
        primaries.set(name, `${provider}/${primary}`);
      }
      names.set(`${provider}/${primary}`, all);
    }
  }
  const inRows = rows.map(({ provider, name }) => `${provider}/${name}`);
  for (const name of inRows) if (!primaries.has(name) && !names.has(name)) names.set(name, [name]);
  const chat = rows.filter((row) => row.chat).map(({ provider, name }) => `${provider}/${name}`);
  return {
    /** A bounded cache, because callers choose model names. */
    limitNames: new Map<string, readonly string[]>(),
    /** Canonical names by synonym. */
    primaries,
    /** All names of a model, by its canonical name. */
    names,
    chat: chat.filter((name) => !primaries.has(name) && !name.startsWith(fineTuned)),
    byProvider: Map.groupBy([...new Set([...inRows, ...primaries.keys()])], (name) => name.slice(0, name.indexOf('/'))),
  };
}

/** `ft:<base>:<organization>::<id>` whose base has a row. */
function isFineTuned(name: string): boolean {
  if (!name.startsWith(fineTuned)) return false;
  const end = name.indexOf(':', fineTuned.length);
  return end !== -1 && index().names.has(name.slice(0, end));
}

// docs.aws.amazon.com/service-authorization/latest/reference/list_amazonbedrock.html: both kinds of ARN end in the
// model's id.
const arnOfModel =
  /^managed-cloud-models\/arn:aws[a-z-]*:bedrock:[a-z0-9-]*:\d*:(?:foundation-model|inference-profile)\/([^/]+)$/;

function modelOfArn(model: string): string | undefined {
  const id = arnOfModel.exec(model)?.[1];
  return id === undefined ? undefined : `managed-cloud-models/${id}`;
}

const datedForm = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/** In the name of a deployment, or of a model of a custom provider, a date is part of the name. */
function undatedName(name: string): string | undefined {
  const provider = name.slice(0, name.indexOf('/'));
  if (!isVendorName(provider) || name.startsWith('studio-ai/')) return undefined;
  const undated = name.replace(datedForm, '');
  return undated !== name && index().names.has(undated) ? undated : undefined;
}
