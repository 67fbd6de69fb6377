// What an attempt needs: of the process, and of the request on whose behalf it works.
import type { ShareOwner } from '../../common/shares.ts';
import type { Received } from './attempt-result.ts';
import type { Translation } from './translation.ts';
import type { Transport } from './transport.ts';

export interface AttemptLimits {
  readonly responseBytesMax: number;
  readonly eventBytesMax: number;
}

export interface AttemptDeps {
  readonly transport: Transport;
  readonly limits: AttemptLimits;
  /** Translates large calls in workers. Default: they are translated here. */
  readonly translation?: Translation;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The request on whose behalf the attempt works. */
export interface AttemptContext {
  /** The organization and key whose shares it uses. */
  readonly owner: ShareOwner;
  /**
   * Called when the request is about to be sent: a request that cannot be built is no attempt.
   * @throws the error that aborted it
   */
  attemptStarted(attempt: Received): void;
  /** The attempt failed before anything was passed on; another one may follow. */
  attemptFailed(): void;
  /** The error that aborted the request: there is no further attempt. */
  readonly aborted: Error | undefined;
  /** Accounts memory for buffered bytes. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Bytes came from the provider. */
  progress(): void;
}
