// What orders the targets and provider keys of one request: chance, or its conversation.
import type { Caller } from '../access/authenticator.ts';
import { sessionVariate, type Variate } from '../upstream/variates.ts';
import { type SessionRequest, sessionOf } from './session.ts';

export interface ConversationRequest extends SessionRequest {
  readonly caller: Caller;
}

/** Nothing of a conversation is read before an order is made: most requests have one target with one key. */
export class ConversationOrder {
  readonly #of: ConversationRequest;
  #isPinned: boolean | undefined;
  #variate: Variate | undefined;

  constructor(of: ConversationRequest) {
    this.#of = of;
  }

  /**
   * The requests of the conversation have to go to one account, because it has reasoning that only its vendor can read
   * and that names no account.
   */
  get isPinned(): boolean {
    const { client } = this.#of.request;
    this.#isPinned ??= client?.translation.vendorReasoning.isUsed(client.body) === true;
    return this.#isPinned;
  }

  /** @param isSticky the route wants it for every conversation */
  of(isSticky: boolean): Variate {
    return (name) => (isSticky || this.isPinned ? this.#ofSession(name) : Math.random());
  }

  #ofSession(name: string): number {
    this.#variate ??= sessionVariate(this.#of.caller.principal.organization.id, sessionOf(this.#of));
    return this.#variate(name);
  }
}
