// The requests and limits of a sidecar: from the pod's annotation, else the namespace's, else the operator's setting.
// They are then moved into the namespace's LimitRanges, because a pod outside of them cannot be created.
import { type SizeName, sizeNames } from '../common/cluster-names.ts';
import type { LimitItem, NamespaceSizes } from '../common/hand-over.ts';
import { decodeSettings, SettingsError } from '../common/settings.ts';
import { type Pod, PodError } from './pod.ts';
import { type PodTotals, totalsOf } from './pod-totals.ts';
import { amountOf, type Quantity, quantityFrom, quantityOf, type Resource, resourceNames } from './quantity.ts';
import { sizeDecoders } from './size-decoders.ts';

export type Sizes = Readonly<Record<SizeName, Quantity>>;
export type ChosenSizes = Readonly<Record<SizeName, Quantity | undefined>>;

export interface SizeSources {
  /** By the pod's annotations. */
  readonly chosen: ChosenSizes;
  readonly defaults: Sizes;
  /** Undefined: no information about the namespace. */
  readonly namespace: NamespaceSizes | undefined;
}

export interface SizeChoice {
  readonly sizes: Sizes;
  /** For the pod's author. */
  readonly warnings: readonly string[];
}

/** @throws PodError for an invalid amount in a namespace's annotation, and for a request above its limit */
export function chooseSizes(pod: Pod, { chosen, defaults, namespace }: SizeSources): SizeChoice {
  const ofNamespace = namespace === undefined ? undefined : readNamespace(namespace);
  const layered = eachSize((name) => chosen[name] ?? ofNamespace?.[name] ?? defaults[name]);
  const above = aboveLimit(layered);
  if (above !== undefined) throw new PodError(`${sizeNames[above.of]}: ${above.why}`);
  if (namespace === undefined || namespace.limits.length === 0) return { sizes: layered, warnings: [] };
  return intoLimits(pod, layered, namespace.limits);
}

function eachSize<T>(value: (name: SizeName) => T): Readonly<Record<SizeName, T>> {
  return {
    cpuRequest: value('cpuRequest'),
    cpuLimit: value('cpuLimit'),
    memoryRequest: value('memoryRequest'),
    memoryLimit: value('memoryLimit'),
  };
}

function readNamespace({ annotations }: NamespaceSizes): ChosenSizes {
  try {
    return decodeSettings(sizeDecoders, annotations);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new PodError(`an annotation of the namespace is wrong: ${error.mistakes.join('; ')}`);
  }
}

export interface AboveLimit {
  readonly of: 'cpuRequest' | 'memoryRequest';
  readonly why: string;
}

/** Finds a request above its limit. The API server would refuse it with a message that names no annotation. */
export function aboveLimit({ cpuRequest, cpuLimit, memoryRequest, memoryLimit }: Sizes): AboveLimit | undefined {
  const why = (request: Quantity, limit: Quantity) => `${request.text} is more than the limit ${limit.text}`;
  if (cpuRequest.amount > cpuLimit.amount) return { of: 'cpuRequest', why: why(cpuRequest, cpuLimit) };
  if (memoryRequest.amount > memoryLimit.amount) {
    return { of: 'memoryRequest', why: why(memoryRequest, memoryLimit) };
  }
  return undefined;
}

const namesOf = {
  cpu: { request: 'cpuRequest', limit: 'cpuLimit' },
  memory: { request: 'memoryRequest', limit: 'memoryLimit' },
} as const satisfies Record<Resource, { request: SizeName; limit: SizeName }>;

/** Bytes that a forwarding sidecar uses before its first request. With a smaller limit the kernel may kill it. */
const memoryIdle = 110 * 1024 ** 2;

function intoLimits(pod: Pod, sizes: Sizes, limits: readonly LimitItem[]): SizeChoice {
  const totals = totalsOf(pod);
  const moved: Record<SizeName, Quantity> = { ...sizes };
  const impossible: Resource[] = [];
  for (const resource of resourceNames) {
    const { request, limit } = namesOf[resource];
    const before = { request: sizes[request].amount, limit: sizes[limit].amount };
    const after = fitted(before, boundsOf(resource, limits, totals));
    if (after === undefined) impossible.push(resource);
    else {
      if (after.request !== before.request) moved[request] = quantityFrom(resource, after.request);
      if (after.limit !== before.limit) moved[limit] = quantityFrom(resource, after.limit);
    }
  }
  return { sizes: moved, warnings: warningsFor(sizes, moved, impossible) };
}

interface Bounds {
  /** The bounds of each container. */
  readonly container: Range;
  /** The bounds of the pod, with the totals of its other containers; unbounded if the pod as a whole has resources. */
  readonly pod: Range & { readonly request: number; readonly limit: number };
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** Limit divided by request. */
  readonly ratio: number;
}

const unbounded: Range = { min: 0, max: Number.POSITIVE_INFINITY, ratio: Number.POSITIVE_INFINITY };

function boundsOf(resource: Resource, limits: readonly LimitItem[], totals: PodTotals): Bounds {
  const rangeOf = (type: LimitItem['type']) =>
    limits.filter((one) => one.type === type).reduce((range, item) => narrowed(resource, range, item), unbounded);
  const { requests, limits: ofPod } = totals;
  return {
    container: rangeOf('Container'),
    // If the pod as a whole has resources, a LimitRange applies to those, and the sidecar does not change them.
    pod: {
      ...(totals.isWhole ? unbounded : rangeOf('Pod')),
      request: requests[resource] ?? 0,
      limit: ofPod[resource] ?? 0,
    },
  };
}

function narrowed(resource: Resource, { min, max, ratio }: Range, item: LimitItem): Range {
  return {
    min: Math.max(min, amountOf(resource, item.min[resource]) ?? 0),
    max: Math.min(max, amountOf(resource, item.max[resource]) ?? max),
    ratio: Math.min(ratio, quantityOf(item.maxLimitRequestRatio[resource]) ?? ratio),
  };
}

interface Size {
  readonly request: number;
  readonly limit: number;
}

/**
 * The nearest size within all bounds, or undefined if none exists. A ratio raises the request, so that the sidecar
 * stays as fast.
 */
function fitted(size: Size, { container, pod }: Bounds): Size | undefined {
  const limitMin = Math.max(container.min, pod.min - pod.limit);
  const limitMax = Math.min(container.max, pod.max - pod.limit);
  const limit = Math.min(Math.max(size.limit, limitMin), limitMax);
  const requestMin = Math.max(
    ...[container.min, pod.min - pod.request, 0],
    ...[limit / container.ratio, (pod.limit + limit) / pod.ratio - pod.request],
  );
  const requestMax = Math.min(limit, pod.max - pod.request);
  const request = Math.min(Math.max(size.request, Math.ceil(requestMin)), requestMax);
  const isPossible = limitMin <= limitMax && limit > 0 && Math.ceil(requestMin) <= requestMax;
  return isPossible ? { request, limit } : undefined;
}

function warningsFor(before: Sizes, after: Sizes, impossible: readonly Resource[]): readonly string[] {
  const names = Object.keys(sizeNames) as readonly SizeName[];
  const changes = names
    .filter((name) => before[name].amount !== after[name].amount)
    .map((name) => `${sizeNames[name]} ${after[name].text} in place of ${before[name].text}`);
  const isSmall = changes.length > 0 && after.memoryLimit.amount < memoryIdle;
  return [
    ...(changes.length > 0 ? [`the namespace’s LimitRange makes the sidecar’s ${changes.join(', ')}`] : []),
    ...(isSmall
      ? [`${after.memoryLimit.text} of memory is less than an idle sidecar takes (110Mi): it may be killed`]
      : []),
    ...impossible.map((name) => `the namespace’s LimitRange leaves no ${name} for the sidecar`),
  ];
}
