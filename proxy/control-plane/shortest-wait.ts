// A load-balancing policy of grpc-js: another attempt of a call goes to a replica that the call has not tried, and among
// those to the one whose oldest call under way has waited the shortest time, in turn among equals. In plain rotation the
// calls in between would decide, and may bring every attempt of one call to the same silent replica. The waits keep most
// calls away from a silent replica; alone they would prefer one that refuses every call at once.
import { connectivityState, experimental, type Metadata } from '@grpc/grpc-js';

/** The policy's name in a service config. */
export const shortestWait = 'shortest_wait';

type Connection = experimental.SubchannelInterface;

/** What a call's metadata has for the policy, which takes it out: it is never sent. */
const callKey = 'policy-call';
const lastingKey = 'policy-lasting';
let calls = 0;

/** @returns metadata for the attempts of one call */
export function metadataOfCall(metadata: Metadata): Metadata {
  const own = metadata.clone();
  calls += 1;
  own.set(callKey, String(calls));
  return own;
}

/** As metadataOfCall, for a call that stays under way, as the feed: it waits for nothing. */
export function metadataOfLasting(metadata: Metadata): Metadata {
  const own = metadataOfCall(metadata);
  own.set(lastingKey, '1');
  return own;
}

/** Which replicas each call has tried. */
class TriedConnections {
  readonly #byCall = new Map<string, Set<Connection>>();

  of(call: string): Set<Connection> {
    const known = this.#byCall.get(call);
    if (known !== undefined) return known;
    const tried = new Set<Connection>();
    this.#byCall.set(call, tried);
    // A call does not say when its last attempt is over. Only another attempt of one as old as this could miss it.
    const [oldest] = this.#byCall.keys();
    if (this.#byCall.size > triedMax && oldest !== undefined) this.#byCall.delete(oldest);
    return tried;
  }
}

const triedMax = 1_000;

/** The calls under way on each connection, with the time of their start, oldest first. */
class CallsUnderWay {
  readonly #byConnection = new WeakMap<Connection, Set<{ readonly startedAt: number }>>();

  /** @returns ends the call */
  begin(connection: Connection): () => void {
    const calls = this.#byConnection.get(connection) ?? new Set();
    this.#byConnection.set(connection, calls);
    const call = { startedAt: performance.now() };
    calls.add(call);
    return () => void calls.delete(call);
  }

  /** Milliseconds that the oldest call has waited; 0 if there is none. */
  waitedMs(connection: Connection): number {
    const [oldest] = this.#byConnection.get(connection) ?? [];
    return oldest === undefined ? 0 : performance.now() - oldest.startedAt;
  }
}

/** More replicas than this are not compared for one call. */
const comparedMax = 8;

class ShortestWaitPicker implements experimental.Picker {
  readonly #rotation: experimental.Picker;
  readonly #underWay: CallsUnderWay;
  readonly #tried: TriedConnections;

  constructor(rotation: experimental.Picker, underWay: CallsUnderWay, tried: TriedConnections) {
    this.#rotation = rotation;
    this.#underWay = underWay;
    this.#tried = tried;
  }

  pick(pickArgs: experimental.PickArgs): experimental.PickResult {
    const { metadata } = pickArgs;
    const tried = this.#tried.of(String(metadata.get(callKey)[0] ?? ''));
    const isLasting = metadata.get(lastingKey).length > 0;
    metadata.remove(callKey);
    metadata.remove(lastingKey);
    const best = this.#best(pickArgs, tried);
    if (best.subchannel !== null) tried.add(best.subchannel);
    return isLasting ? best : this.#counted(best);
  }

  /** Compares the replicas once round, and takes one turn further, so that the next call begins with the next one. */
  #best(pickArgs: experimental.PickArgs, tried: ReadonlySet<Connection>): experimental.PickResult {
    const seen = new Set<Connection>();
    let best = this.#rotation.pick(pickArgs);
    let bestRank = Number.POSITIVE_INFINITY;
    for (let pick = best; seen.size < comparedMax; pick = this.#rotation.pick(pickArgs)) {
      if (pick.subchannel === null || seen.has(pick.subchannel)) break;
      seen.add(pick.subchannel);
      const rank = this.#underWay.waitedMs(pick.subchannel) + (tried.has(pick.subchannel) ? triedMs : 0);
      if (rank < bestRank) [best, bestRank] = [pick, rank];
    }
    return best;
  }

  #counted(pick: experimental.PickResult): experimental.PickResult {
    const { subchannel } = pick;
    if (subchannel === null) return pick;
    let end: (() => void) | undefined;
    return {
      ...pick,
      onCallStarted: () => {
        end = this.#underWay.begin(subchannel);
        pick.onCallStarted?.();
      },
      onCallEnded: (...status) => {
        end?.();
        pick.onCallEnded?.(...status);
      },
    };
  }
}

/** Longer than any call waits. */
const triedMs = 60_000;

class ShortestWaitBalancer implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler;

  constructor(helper: experimental.ChannelControlHelper) {
    const [underWay, tried] = [new CallsUnderWay(), new TriedConnections()];
    const updateState: typeof helper.updateState = (state, picker, message) => {
      const isReady = state === connectivityState.READY;
      helper.updateState(state, isReady ? new ShortestWaitPicker(picker, underWay, tried) : picker, message);
    };
    this.#child = new experimental.ChildLoadBalancerHandler(
      experimental.createChildChannelControlHelper(helper, { updateState }),
    );
  }

  updateAddressList(...[endpoints, _, ...rest]: Parameters<experimental.LoadBalancer['updateAddressList']>): boolean {
    const rotation = experimental.parseLoadBalancingConfig({ round_robin: {} });
    return this.#child.updateAddressList(endpoints, rotation, ...rest);
  }

  exitIdle(): void {
    this.#child.exitIdle();
  }

  resetBackoff(): void {
    this.#child.resetBackoff();
  }

  destroy(): void {
    this.#child.destroy();
  }

  getTypeName(): string {
    return shortestWait;
  }
}

class ShortestWaitConfig implements experimental.TypedLoadBalancingConfig {
  static createFromJson(): ShortestWaitConfig {
    return new ShortestWaitConfig();
  }

  getLoadBalancerName(): string {
    return shortestWait;
  }

  toJsonObject(): object {
    return { [shortestWait]: {} };
  }
}

experimental.registerLoadBalancerType(shortestWait, ShortestWaitBalancer, ShortestWaitConfig);
