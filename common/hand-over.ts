// Files that the keeper passes to the injector in a shared folder of their pod. The injector has no token of the API
// server and makes no calls. Each file is replaced as a whole.
import { isObject, parseJson } from './json.ts';

/** Names of the files in the folder. */
export const handOverFiles = {
  /** The sidecar's image, as one line of text. */
  image: 'sidecar-image',
  /** The size settings of namespaces, as JSON. */
  namespaces: 'namespaces.json',
} as const;

/** Everything that affects the size of a sidecar in one namespace. */
export interface NamespaceSizes {
  /** Only the annotations in sizeNames. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The items of all LimitRanges. */
  readonly limits: readonly LimitItem[];
}

/** An item of a LimitRange: https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/limit-range-v1/ */
export interface LimitItem {
  /** Applies to each container, or to all containers of a pod together. */
  readonly type: 'Container' | 'Pod';
  readonly min: Quantities;
  readonly max: Quantities;
  /** Maximum ratio of a limit to its request. */
  readonly maxLimitRequestRatio: Quantities;
}

/** Amounts in Kubernetes notation, by resource (cpu, memory). */
export type Quantities = Readonly<Record<string, string>>;

/** By the name of the namespace. */
export type SizesByNamespace = ReadonlyMap<string, NamespaceSizes>;

export function encodeSizes(sizes: SizesByNamespace): string {
  return JSON.stringify({ namespaces: Object.fromEntries(sizes) });
}

/** @throws Error for text that encodeSizes does not write */
export function decodeSizes(text: string): SizesByNamespace {
  const value = parseJson(text);
  if (!isObject(value) || !isObject(value.namespaces)) throw new Error('contains no namespaces');
  return new Map(Object.entries(value.namespaces).map(([name, one]) => [name, sizesIn(one)]));
}

function sizesIn(value: unknown): NamespaceSizes {
  if (!isObject(value) || !Array.isArray(value.limits)) throw new Error('contains a namespace of another form');
  return { annotations: textsIn(value.annotations), limits: value.limits.map(limitIn) };
}

function limitIn(value: unknown): LimitItem {
  if (!isObject(value) || (value.type !== 'Container' && value.type !== 'Pod'))
    throw new Error('contains a limit of another form');
  const { type, min, max, maxLimitRequestRatio } = value;
  return { type, min: textsIn(min), max: textsIn(max), maxLimitRequestRatio: textsIn(maxLimitRequestRatio) };
}

function textsIn(value: unknown): Quantities {
  if (!isObject(value)) throw new Error('contains something other than texts by name');
  const entries = Object.entries(value).map(([name, text]) => {
    if (typeof text !== 'string') throw new Error('contains something other than texts by name');
    return [name, text] as const;
  });
  return Object.fromEntries(entries);
}
