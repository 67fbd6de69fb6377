// The total requests and limits of a pod's containers, and its quality-of-service class. The sum follows the API
// server's for a LimitRange of type Pod: an init container counts if it needs more than everything after it.
import type { Amounts, Container, Pod } from './pod.ts';
import { type Resource, resourceNames } from './quantity.ts';

export interface PodTotals {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** The pod has resources of its own, which count instead of the sum. */
  readonly isWhole: boolean;
}

export function totalsOf(pod: Pod): PodTotals {
  return {
    requests: summed(pod, ({ requests }) => requests),
    limits: summed(pod, ({ limits }) => limits),
    isWhole: pod.hasResources,
  };
}

function summed({ containers, initContainers }: Pod, amounts: (container: Container) => Amounts): Amounts {
  const of = (resource: Resource) => {
    const add = (sum: number, one: Container) => sum + (amounts(one)[resource] ?? 0);
    let sidecars = 0;
    let most = 0;
    for (const one of initContainers) {
      const together = add(sidecars, one);
      most = Math.max(most, together);
      if (one.isSidecar) sidecars = together;
    }
    return Math.max(containers.reduce(add, sidecars), most);
  };
  return { cpu: of('cpu'), memory: of('memory') };
}

/**
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/: every container has limits, and its requests equal them.
 */
export function isGuaranteed({ containers, initContainers }: Pod): boolean {
  return [...containers, ...initContainers].every(({ requests, limits }) =>
    resourceNames.every((name) => {
      const limit = limits[name] ?? 0;
      return limit > 0 && (requests[name] ?? limit) === limit;
    }),
  );
}
