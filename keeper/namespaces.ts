// Reads sizes and sidecar wishes from namespaces. Pure functions, on objects reduced to the fields that are read,
// because a cluster has many.
import { injectName, isOurs, namespaceLabels, sizeNames, wishes, wishWords } from '../common/cluster-names.ts';
import { encodeSizes, type LimitItem, type NamespaceSizes, type Quantities } from '../common/hand-over.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { metadataOf, textIn, textsIn } from './api/sources.ts';

/** The fields of a Namespace that are kept. */
export function projectNamespace(object: JsonObject): JsonObject {
  const { name, resourceVersion, labels, annotations } = metadataOf(object);
  return { metadata: { name, resourceVersion, labels: ours(labels), annotations: ours(annotations) } };
}

/** The fields of a LimitRange that are kept. */
export function projectLimitRange(object: JsonObject): JsonObject {
  const { name, namespace, resourceVersion } = metadataOf(object);
  const { limits } = isObject(object.spec) ? object.spec : {};
  return { metadata: { name, namespace, resourceVersion }, spec: { limits } };
}

function ours(texts: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(textsIn(texts)).filter(([name]) => isOurs(name)));
}

export interface CollectedSizes {
  /** The text to hand over. */
  readonly text: string;
  /** Namespaces that did not fit into the text. */
  readonly leftOut: number;
}

/** Characters; far more than clusters need for the few hundred namespaces with a LimitRange or an annotation. */
const textLengthMax = 2 * 1024 ** 2;

export function collectSizes(namespaces: Iterable<JsonObject>, limitRanges: Iterable<JsonObject>): CollectedSizes {
  const sizes = new Map<string, { annotations: Quantities; limits: LimitItem[] }>();
  const of = (name: string) => {
    const found = sizes.get(name) ?? { annotations: {}, limits: [] };
    sizes.set(name, found);
    return found;
  };
  for (const namespace of namespaces) {
    const annotations = sizeAnnotations(namespace);
    const name = textIn(metadataOf(namespace).name);
    if (name !== undefined && Object.keys(annotations).length > 0) of(name).annotations = annotations;
  }
  for (const range of limitRanges) {
    const name = textIn(metadataOf(range).namespace);
    const limits = limitsIn(range);
    if (name !== undefined && limits.length > 0) of(name).limits.push(...limits);
  }
  return bounded([...sizes].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function bounded(sizes: readonly (readonly [string, NamespaceSizes])[]): CollectedSizes {
  const kept = [...sizes];
  let text = encodeSizes(new Map(kept));
  while (text.length > textLengthMax) {
    kept.splice(Math.floor(kept.length * 0.9));
    text = encodeSizes(new Map(kept));
  }
  return { text, leftOut: sizes.length - kept.length };
}

function sizeAnnotations(namespace: JsonObject): Quantities {
  const names: readonly string[] = Object.values(sizeNames);
  const entries = Object.entries(textsIn(metadataOf(namespace).annotations));
  return Object.fromEntries(entries.filter(([name]) => names.includes(name)));
}

function limitsIn({ spec }: JsonObject): readonly LimitItem[] {
  const limits = isObject(spec) && Array.isArray(spec.limits) ? spec.limits.filter(isObject) : [];
  return limits.flatMap((limit): LimitItem[] => {
    const { type, min, max, maxLimitRequestRatio } = limit;
    if (type !== 'Container' && type !== 'Pod') return [];
    return [
      {
        type,
        min: amounts(min),
        max: amounts(max),
        maxLimitRequestRatio: amounts(maxLimitRequestRatio),
      },
    ];
  });
}

function amounts(value: unknown): Quantities {
  const { cpu, memory } = textsIn(value);
  return { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
}

/** Namespaces whose label requests sidecars. */
export function tenantsIn(namespaces: Iterable<JsonObject>): readonly string[] {
  return [...namespaces].flatMap((namespace) => {
    const { name, labels } = metadataOf(namespace);
    const word = textsIn(labels)[injectName] ?? '';
    return typeof name === 'string' && onWords.includes(word) ? [name] : [];
  });
}

const onWords: readonly string[] = wishes.enabled;
const allWords: readonly string[] = [...wishes.enabled, ...wishes.disabled];
const namespaceAnnotations: readonly string[] = Object.values(sizeNames);

/** One line for each label or annotation of a namespace without an effect there, with a suggestion. */
export function mistakesIn(namespace: JsonObject): readonly string[] {
  const { labels, annotations } = metadataOf(namespace);
  const byLabel = Object.entries(textsIn(labels)).flatMap(([name, word]) => {
    if (name === injectName && !allWords.includes(word)) return [`the label ${name} must be ${wishWords}`];
    if (namespaceLabels.includes(name) || !isOurs(name)) return [];
    return [`there is no label ${name} of namespaces; ${injectName}: enabled requests sidecars`];
  });
  const byAnnotation = Object.keys(textsIn(annotations)).flatMap((name) => {
    if (namespaceAnnotations.includes(name) || !isOurs(name)) return [];
    if (namespaceLabels.includes(name)) return [`${name} does nothing as an annotation of a namespace: it is a label`];
    return [`the annotation ${name} does nothing on a namespace`];
  });
  return [...byLabel, ...byAnnotation];
}
