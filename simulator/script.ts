// Behaviours that wait for a request. The first one that accepts a request applies to it.
import type { Behaviour } from './behaviour.ts';
import type { RecordedRequest } from './record.ts';

export interface ScriptOptions {
  /** Which requests it applies to. Default: any. */
  readonly when?: (request: RecordedRequest) => boolean;
  /** The number of requests that it applies to. Default 1; Infinity keeps it. */
  readonly times?: number;
}

/** A function makes it for each request that it applies to. */
export type ScriptedBehaviour = Behaviour | ((request: RecordedRequest) => Behaviour);

export interface Script {
  add(behaviour: ScriptedBehaviour, options?: ScriptOptions): void;
  take(request: RecordedRequest): Behaviour | undefined;
  clear(): void;
}

interface Entry {
  readonly behaviour: ScriptedBehaviour;
  readonly when: (request: RecordedRequest) => boolean;
  times: number;
}

export function createScript(): Script {
  const entries: Entry[] = [];
  return {
    add(behaviour, options = {}) {
      entries.push({ behaviour, when: options.when ?? (() => true), times: options.times ?? 1 });
    },
    take(request) {
      const at = entries.findIndex((entry) => entry.when(request));
      const entry = entries[at];
      if (entry === undefined) return undefined;
      entry.times -= 1;
      if (entry.times <= 0) entries.splice(at, 1);
      return typeof entry.behaviour === 'function' ? entry.behaviour(request) : entry.behaviour;
    },
    clear: () => void entries.splice(0),
  };
}
