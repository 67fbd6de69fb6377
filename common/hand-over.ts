// What the keeper hands to the injector beside it, as files in a folder of the pod that both have: the injector has no token of
// the API server and asks nobody. Each file is replaced as a whole.
import { isObject, parseJson } from './json.ts';

/** Names in the folder. */
export const handOverFiles = {
  /** The sidecar's image, a line of text. */
  image: 'sidecar-image',
  /** What namespaces say about sizes, as JSON. */
  namespaces: 'namespaces.json',
} as const;

/** What bears on the size of a sidecar in one namespace. */
export interface NamespaceSizes {
  /** Those of sizeNames. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of all LimitRanges. */
  readonly limits: readonly LimitItem[];
}

/** Of a LimitRange: https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/limit-range-v1/ */
export interface LimitItem {
  /** Of each container, or of all containers of a pod together. */
  readonly type: 'Container' | 'Pod';
  readonly min: Quantities;
  readonly max: Quantities;
  /** A limit may be at most so many times its request. */
  readonly maxLimitRequestRatio: Quantities;
}

/** By resource (cpu, memory), as Kubernetes writes amounts. */
export type Quantities = Readonly<Record<string, string>>;

/** By the namespace's name. */
export type SizesByNamespace = ReadonlyMap<string, NamespaceSizes>;

export function encodeSizes(sizes: SizesByNamespace): string {
  return JSON.stringify({ namespaces: Object.fromEntries(sizes) });
}

/** @throws Error for what encodeSizes does not write */
export function decodeSizes(text: string): SizesByNamespace {
  const value = parseJson(text);
  if (!isObject(value) || !isObject(value.namespaces)) throw new Error('holds no namespaces');
  return new Map(Object.entries(value.namespaces).map(([name, one]) => [name, sizesIn(one)]));
}

function sizesIn(value: unknown): NamespaceSizes {
  if (!isObject(value) || !Array.isArray(value.limits)) throw new Error('holds a namespace of another form');
  return { annotations: textsIn(value.annotations), limits: value.limits.map(limitIn) };
}

function limitIn(value: unknown): LimitItem {
  if (!isObject(value) || (value.type !== 'Container' && value.type !== 'Pod'))
    throw new Error('holds a limit of another form');
  const { type, min, max, maxLimitRequestRatio } = value;
  return { type, min: textsIn(min), max: textsIn(max), maxLimitRequestRatio: textsIn(maxLimitRequestRatio) };
}

function textsIn(value: unknown): Quantities {
  if (!isObject(value)) throw new Error('holds something else than texts by name');
  const entries = Object.entries(value).map(([name, text]) => {
    if (typeof text !== 'string') throw new Error('holds something else than texts by name');
    return [name, text] as const;
  });
  return Object.fromEntries(entries);
}
