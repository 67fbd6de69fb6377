// Sends due deliveries: a limited number at a time, and for each webhook one after another, so that a slow receiver
// does not delay others. Neither the URL nor the response of a try is logged.
import type { Clock } from '../../common/clock.ts';
import type { GuardedPost } from '../../common/guarded-request.ts';
import type { Logger } from '../../common/logger.ts';
import type { SealKeys } from '../../common/seal.ts';
import { unsealWebhookSecret } from '../domain/webhook.ts';
import type { Store } from '../store/store.ts';
import { type AttemptResult, attempt } from './attempt.ts';
import { type DueDelivery, recordTry, type TryOutcome, takeDue } from './deliveries.ts';

export interface WebhookMetrics {
  webhookTried(outcome: TryOutcome): void;
}

export interface DelivererDeps {
  readonly store: Pick<Store, 'ledger'>;
  readonly masterKeys: SealKeys;
  /** Reads the head of a response and the beginning of its body. */
  readonly post: GuardedPost;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  /** Called after each try, because its webhook may have more due deliveries. */
  onFree?(): void;
}

const triesMax = 64;
/** Running tries may finish within this time before they are cut off. Tries that are cut off are made again. */
const closeGraceMs = 3000;

export class Deliverer {
  readonly #deps: DelivererDeps;
  /** By webhook. */
  readonly #tries = new Map<string, Promise<void>>();
  readonly #cut = new AbortController();
  #closed = false;

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
  }

  /** The number of running tries. */
  get underWay(): number {
    return this.#tries.size;
  }

  /** Starts as many due tries as there is room for. @throws StoreUnavailableError */
  async beginDue(): Promise<void> {
    const max = triesMax - this.underWay;
    if (this.#closed || max <= 0) return;
    const due = await takeDue(this.#deps.store, { max, busy: [...this.#tries.keys()] });
    for (const delivery of due) {
      const ended = this.#attempt(delivery).finally(() => {
        this.#tries.delete(delivery.webhookId);
        this.#deps.onFree?.();
      });
      this.#tries.set(delivery.webhookId, ended);
    }
  }

  /** Resolves when no try is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#tries.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    const timer = setTimeout(() => this.#cut.abort(), closeGraceMs);
    await this.settled();
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #attempt(delivery: DueDelivery): Promise<void> {
    const { store, log, metrics } = this.#deps;
    const about = { webhook_id: delivery.webhookId, delivery_id: delivery.id, attempts: delivery.attempts };
    try {
      const tried = await this.#send(delivery);
      // A try that this replica cut off does not count as the receiver's failure.
      if (tried.status === undefined && this.#cut.signal.aborted) return;
      const outcome = await recordTry(store, delivery, tried);
      metrics.webhookTried(outcome);
      if (outcome === 'given_up') log.warn({ ...about, status: tried.status }, 'webhook delivery given up');
      else log.debug({ ...about, status: tried.status, outcome }, 'webhook delivery tried');
    } catch (err) {
      log.warn({ ...about, err }, 'the end of a webhook delivery could not be written; it is made again');
    }
  }

  async #send(delivery: DueDelivery): Promise<AttemptResult> {
    const { post, clock, log } = this.#deps;
    const secret = this.#secretOf(delivery);
    if (secret === undefined) {
      log.error({ webhook_id: delivery.webhookId }, 'no master key opens the secret of this webhook');
      return { status: undefined, retryAfterMs: undefined, error: 'no master key opens its secret' };
    }
    const { id, url, payload } = delivery;
    const result = await attempt({ id, url, secret, payload }, { post, clock, cut: this.#cut.signal });
    const { reason } = result;
    if (reason !== undefined) log.debug({ webhook_id: delivery.webhookId, reason }, 'a webhook did not respond');
    return result;
  }

  #secretOf({ organizationId, webhookId, secret, secretVersion }: DueDelivery): string | undefined {
    const binding = { organizationId, webhookId, version: secretVersion };
    return unsealWebhookSecret(this.#deps.masterKeys, binding, secret);
  }
}
