// Follows the cluster's Namespaces and LimitRanges, and hands their sizes over. Without the right to read them, the
// text is empty, and sidecars get the sizes of their pod's annotations or the defaults.
import type { JsonObject } from '../common/json.ts';
import type { Logger } from '../common/logger.ts';
import type { PeriodicTask } from '../common/periodic-task.ts';
import { follow } from './api/follow.ts';
import { allObjects, metadataOf, paths, textIn } from './api/sources.ts';
import type { Hand } from './hand.ts';
import { collectSizes, mistakesIn, projectLimitRange, projectNamespace, tenantsIn } from './namespaces.ts';
import type { Shared } from './shared.ts';
import { startTask } from './shared.ts';

export interface OpenNamespaces {
  /** Namespaces with sidecars, as far as known. */
  tenants(): Iterable<string>;
  /** Undefined: the keeper has no right to read namespaces. */
  leftOut(): number | undefined;
}

export interface NamespacesOptions {
  readonly hand: Hand;
  /** Called when namespaces or their labels and annotations have changed. */
  onChange(): void;
}

const everyMs = 60_000;

export function openNamespaces(shared: Shared, { hand, onChange }: NamespacesOptions): OpenNamespaces {
  const { lifecycle, log, timers, metrics } = shared;
  let task: PeriodicTask | undefined;
  const changed = () => {
    task?.wake();
    onChange();
  };
  const read = (what: string, path: string, project: typeof projectNamespace) => {
    const followed = follow(allObjects(what, path, project), { ...shared, onChange: changed });
    lifecycle.onClose(what, () => followed.close());
    return followed;
  };
  const namespaces = read('namespaces', paths.namespaces, projectNamespace);
  const limitRanges = read('LimitRanges', paths.limitRanges, projectLimitRange);
  const report = mistakeReporter(log);
  let leftOut: number | undefined;
  const look = async () => {
    const isForbidden = namespaces.isForbidden || limitRanges.isForbidden;
    const [all, ranges] = isForbidden ? [none, none] : [namespaces.objects, limitRanges.objects];
    if (all === undefined || ranges === undefined) return;
    const collected = collectSizes(all.values(), ranges.values());
    await hand.over('namespaces', collected.text);
    leftOut = isForbidden ? undefined : collected.leftOut;
    for (const namespace of all.values()) report(namespace);
    if (collected.leftOut > 0)
      throw new Error(`sizes of ${collected.leftOut} namespaces find no room; their sidecars have the default`);
  };
  task = startTask({ task: 'sizes', everyMs, run: look }, { log, timers, metrics });
  lifecycle.onClose('sizes', () => task.close());
  return { tenants: () => tenantsIn(namespaces.objects?.values() ?? []), leftOut: () => leftOut };
}

const none: ReadonlyMap<string, JsonObject> = new Map();

/** Each mistake is logged once, and at most this many. */
const loggedMax = 1_000;

function mistakeReporter(log: Logger): (namespace: JsonObject) => void {
  const logged = new Set<string>();
  return (namespace) => {
    const name = textIn(metadataOf(namespace).name);
    for (const mistake of mistakesIn(namespace)) {
      if (logged.has(`${name} ${mistake}`) || logged.size >= loggedMax) continue;
      logged.add(`${name} ${mistake}`);
      log.warn({ namespace: name, mistake }, 'a namespace has a label or annotation that has no effect');
    }
  };
}
