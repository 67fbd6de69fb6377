// What health reports: for the log, metrics, the audit log and webhooks.

export const hostCauses = ['dead', 'timeout', 'server'] as const;
export const keyCauses = ['key', 'access', 'quota'] as const;
export const failureCauses = [...hostCauses, ...keyCauses, 'rate'] as const;

/** Why an attempt failed. */
export type FailureCause = (typeof failureCauses)[number];

/**
 * Of a model at a host. `dead`: no connection, no TLS, no address, or the connection died before a response. `timeout`: no
 * head in time. `server`: 5xx, 529.
 */
export type HostCause = (typeof hostCauses)[number];

/**
 * Of a provider key. `key`: the vendor refused it, 401. `access`: the vendor refused it for this model, 403, which other
 * models of the same key may not share (Bedrock's AccessDeniedException, OpenAI's projects with lists of models). `quota`:
 * nothing left to spend, 402 and its like.
 */
export type KeyCause = (typeof keyCauses)[number];

export interface HostEvent {
  readonly origin: string;
  readonly model: string;
  /** Undefined: for all organizations. */
  readonly organization: string | undefined;
}

export interface HostEjected extends HostEvent {
  /** Of the last failure. */
  readonly cause: HostCause;
  readonly forMs: number;
}

export interface KeyEvent {
  readonly organization: string;
  readonly providerKeyId: string;
  /** Undefined: all models of the key. */
  readonly model: string | undefined;
}

export interface KeyOut extends KeyEvent {
  readonly cause: KeyCause;
}

export interface HealthEvents {
  /** Also each time that a failed trial prolongs it. */
  onEjected?(event: HostEjected): void;
  onReadmitted?(event: HostEvent): void;
  /**
   * Once, and not again when trials fail. Again after a change of the key, a readmission, or the restart of the proxy: the
   * control plane removes doubles.
   */
  onKeyOut?(event: KeyOut): void;
  onKeyReadmitted?(event: KeyEvent): void;
}

/** What is out now: models at hosts (of organizations; for all), provider keys and models with them, rate limits. */
export interface OutCounts {
  readonly hosts: number;
  readonly sharedHosts: number;
  readonly keys: number;
  readonly limits: number;
}
