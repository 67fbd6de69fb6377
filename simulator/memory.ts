// What vendors remember between requests, for as long as the simulator runs. Each simulator has its own.

export interface Memory {
  /** The state that `create` makes: made once, then the same in every request. */
  of<State extends object>(create: () => State): State;
}

export function createMemory(): Memory {
  const states = new Map<() => object, object>();
  return {
    of<State extends object>(create: () => State): State {
      // A map of different types: the entry of a function is what that function returned.
      const known = states.get(create) as State | undefined;
      if (known !== undefined) return known;
      const made = create();
      states.set(create, made);
      return made;
    },
  };
}
