// The health of targets for operators: what the proxies of this replica report, summed by model for one organization, or
// by provider for all. An organization gets the sums of its own entries only.
import type { ModelHealth } from '../../proto/generated/gateway/v1/ModelHealth.ts';
import type { ProviderHealth } from '../../proto/generated/gateway/v1/ProviderHealth.ts';
import { type TargetState, targetFailures } from '../../proto/words/health.ts';
import type { ReportedTarget } from '../changes/reported-targets.ts';
import type { Watcher } from '../changes/watchers.ts';
import { timeText } from '../domain/shared-fields.ts';

/** The worst first. */
const states = ['ejected', 'limited', 'healthy'] as const satisfies readonly TargetState[];

/** The reports of one model or provider: a list for each proxy. */
class Sum {
  readonly #byProxy = new Map<Watcher, ReportedTarget[]>();

  add(watcher: Watcher, target: ReportedTarget): void {
    const others = this.#byProxy.get(watcher);
    if (others === undefined) this.#byProxy.set(watcher, [target]);
    else others.push(target);
  }

  get fields() {
    const lists = [...this.#byProxy.values()];
    const all = lists.flat();
    const counts = { ejected: 0, limited: 0, healthy: 0 };
    for (const list of lists) counts[worstOf(list)]++;
    const worst = worstOf(all);
    const since = Math.min(...all.filter(({ state }) => state === worst).map((target) => target.since));
    const failed = all.filter(({ failure }) => failure !== undefined).sort((a, b) => b.since - a.since);
    const failure = failed[0]?.failure;
    return {
      ...counts,
      since: timeText(since),
      ...(failure !== undefined && { lastFailure: targetFailures.names[failure] }),
    };
  }
}

function worstOf(targets: readonly ReportedTarget[]): TargetState {
  return states.find((state) => targets.some((target) => target.state === state)) ?? 'healthy';
}

export interface ModelHealthParts {
  readonly organizationId: string;
  readonly watchers: readonly Watcher[];
  /** Of the organization: the provider of each provider key, by the key's id. */
  readonly providersOfKeys: ReadonlyMap<string, string>;
}

/** @returns the health of a model, by its canonical name; undefined if no proxy reports it */
export function modelHealth(parts: ModelHealthParts): (name: string) => ModelHealth | undefined {
  const { organizationId, watchers, providersOfKeys } = parts;
  const serving = watchers.filter(
    ({ targets, caller }) => targets !== undefined && [undefined, organizationId].includes(caller.organizationId),
  );
  const byModel = new Map<string, [Watcher, ReportedTarget][]>();
  const byProvider = new Map<string, [Watcher, ReportedTarget][]>();
  for (const watcher of serving) {
    for (const target of watcher.targets?.byOrganization.get(organizationId) ?? []) {
      const { model, providerKeyId } = target;
      const ofKey = providerKeyId === undefined ? undefined : providersOfKeys.get(providerKeyId);
      // Of a key that was deleted since.
      if (providerKeyId !== undefined && ofKey === undefined) continue;
      if (model !== undefined) push(byModel, model, [watcher, target]);
      else if (ofKey !== undefined) push(byProvider, ofKey, [watcher, target]);
    }
  }
  return (name) => {
    const reports = [...(byModel.get(name) ?? []), ...(byProvider.get(providerOf(name)) ?? [])];
    if (reports.length === 0) return undefined;
    const sum = new Sum();
    for (const [watcher, target] of reports) sum.add(watcher, target);
    return { proxies: serving.length, ...sum.fields };
  };
}

/** Whether requests of the organization avoid the model somewhere, or should. */
export function isOut(health: ModelHealth | undefined): boolean {
  return (health?.ejected ?? 0) + (health?.limited ?? 0) > 0;
}

export interface ProviderHealthParts {
  readonly watchers: readonly Watcher[];
  /** Of all organizations, by the key's id. */
  readonly providersOfKeys: ReadonlyMap<string, string>;
  /** The vendors, and the platform's custom providers; what organizations call theirs is not for others. */
  readonly named: ReadonlySet<string>;
}

/** By name; the custom providers of organizations are one entry, the first. */
export function providerHealth({ watchers, providersOfKeys, named }: ProviderHealthParts): ProviderHealth[] {
  const sums = new Map<string, { readonly sum: Sum; readonly organizations: Set<string> }>();
  for (const [watcher, organizationId, target] of reportsOf(watchers)) {
    const { model, providerKeyId = '' } = target;
    const provider = model === undefined ? providersOfKeys.get(providerKeyId) : providerOf(model);
    if (provider === undefined) continue;
    const name = named.has(provider) ? provider : '';
    const entry = sums.get(name) ?? { sum: new Sum(), organizations: new Set<string>() };
    sums.set(name, entry);
    entry.sum.add(watcher, target);
    if (target.state !== 'healthy') entry.organizations.add(organizationId);
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([provider, { sum, organizations }]) => ({ provider, ...sum.fields, organizations: organizations.size }));
}

/** Each target with its proxy and the id of its organization. */
function* reportsOf(watchers: readonly Watcher[]): Generator<readonly [Watcher, string, ReportedTarget], void> {
  for (const watcher of watchers) {
    for (const [organizationId, targets] of watcher.targets?.byOrganization ?? []) {
      for (const target of targets) yield [watcher, organizationId, target];
    }
  }
}

/** The ids of provider keys of which all models are reported. */
export function reportedKeys(watchers: readonly Watcher[]): string[] {
  const targets = [...reportsOf(watchers)].map(([, , target]) => target);
  return [
    ...new Set(
      targets.flatMap(({ model, providerKeyId }) => (model === undefined && providerKeyId ? [providerKeyId] : [])),
    ),
  ];
}

function providerOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

function push<V>(lists: Map<string, V[]>, name: string, value: V): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [value]);
  else list.push(value);
}
