// Sessions of this process that are over, of late: a database that has gone back may believe that they are open.

const sessionsMax = 20;

export class RecentSessions {
  #ended: { readonly session: string; readonly at: number }[] = [];

  /** @param now monotonic */
  ended(session: string, now: number): void {
    this.#ended = [...this.#ended.slice(1 - sessionsMax), { session, at: now }];
  }

  /** In the order of their ends. */
  since(at: number): readonly string[] {
    return this.#ended.filter((each) => each.at >= at).map(({ session }) => session);
  }
}
