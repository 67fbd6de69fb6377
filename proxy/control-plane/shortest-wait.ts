// A load-balancing policy of grpc-js: each call goes to the replica whose oldest call under way has waited the shortest
// time, in turn among equals. A call that is sent again because a replica is silent thus reaches another one, whatever
// calls were sent in between. In plain rotation those decide, and may bring every attempt of one call to the same
// replica; numbers of calls would not separate a silent replica from a busy one.
import { connectivityState, experimental, type Metadata } from '@grpc/grpc-js';

/** The policy's name in a service config. */
export const shortestWait = 'shortest_wait';

/** On a call that stays under way, as the feed. Never sent. */
const lastingKey = 'lasting';
/**
 * A lasting call waits for this long at most: longer than a usual call, so that another attempt of it reaches another
 * replica too, and shorter than the wait before another attempt, which may thus go where the feed is.
 */
const lastingMaxMs = 250;

export function markLasting(metadata: Metadata): Metadata {
  const marked = metadata.clone();
  marked.set(lastingKey, '1');
  return marked;
}

/** The calls under way on one connection, oldest first. */
class CallsUnderWay {
  readonly #calls = new Set<{ readonly startedAt: number }>();
  readonly #lasting = new Set<{ readonly startedAt: number }>();

  /** @returns ends the call */
  begin(isLasting: boolean): () => void {
    const calls = isLasting ? this.#lasting : this.#calls;
    const call = { startedAt: performance.now() };
    calls.add(call);
    return () => void calls.delete(call);
  }

  get waitedMs(): number {
    const [[oldest], [lasting]] = [this.#calls, this.#lasting];
    const now = performance.now();
    return Math.max(now - (oldest?.startedAt ?? now), Math.min(now - (lasting?.startedAt ?? now), lastingMaxMs));
  }
}

type Connections = WeakMap<experimental.SubchannelInterface, CallsUnderWay>;

/** More replicas than this are not compared for one call. */
const comparedMax = 8;

class ShortestWaitPicker implements experimental.Picker {
  readonly #rotation: experimental.Picker;
  readonly #connections: Connections;

  constructor(rotation: experimental.Picker, connections: Connections) {
    this.#rotation = rotation;
    this.#connections = connections;
  }

  pick(pickArgs: experimental.PickArgs): experimental.PickResult {
    const isLasting = pickArgs.metadata.get(lastingKey).length > 0;
    pickArgs.metadata.remove(lastingKey);
    return this.#counted(this.#shortest(pickArgs), isLasting);
  }

  /** Compares the replicas once round, and takes one turn further, so that the next call begins with the next one. */
  #shortest(pickArgs: experimental.PickArgs): experimental.PickResult {
    const waits = new Map<unknown, number>();
    let best = this.#rotation.pick(pickArgs);
    let bestMs = Number.POSITIVE_INFINITY;
    for (let pick = best; waits.size < comparedMax; pick = this.#rotation.pick(pickArgs)) {
      if (pick.subchannel === null || waits.has(pick.subchannel)) break;
      const waitedMs = this.#connections.get(pick.subchannel)?.waitedMs ?? 0;
      waits.set(pick.subchannel, waitedMs);
      if (waitedMs < bestMs) [best, bestMs] = [pick, waitedMs];
    }
    return best;
  }

  #counted(pick: experimental.PickResult, isLasting: boolean): experimental.PickResult {
    const { subchannel } = pick;
    if (subchannel === null) return pick;
    let end: (() => void) | undefined;
    return {
      ...pick,
      onCallStarted: () => {
        end = this.#callsOf(subchannel).begin(isLasting);
        pick.onCallStarted?.();
      },
      onCallEnded: (...status) => {
        end?.();
        pick.onCallEnded?.(...status);
      },
    };
  }

  #callsOf(subchannel: experimental.SubchannelInterface): CallsUnderWay {
    const known = this.#connections.get(subchannel);
    if (known !== undefined) return known;
    const calls = new CallsUnderWay();
    this.#connections.set(subchannel, calls);
    return calls;
  }
}

class ShortestWaitBalancer implements experimental.LoadBalancer {
  readonly #child: experimental.ChildLoadBalancerHandler;

  constructor(helper: experimental.ChannelControlHelper) {
    const connections: Connections = new WeakMap();
    const updateState: typeof helper.updateState = (state, picker, message) => {
      const isReady = state === connectivityState.READY;
      helper.updateState(state, isReady ? new ShortestWaitPicker(picker, connections) : picker, message);
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
