// The state of a response that a vendor stores, when it is read again (SDK type `ResponseStatus` of the package openai).
import type { Usage } from '../conversation/usage.ts';

export interface StoredState {
  /** `completed`, `incomplete`, `failed`, `cancelled`; `queued` and `in_progress` if it is not over. */
  readonly status: string;
  readonly isOver: boolean;
  /** Undefined if the vendor reports none. */
  readonly usage: Usage | undefined;
  /** The vendor's name of the model. */
  readonly model: string | undefined;
}

/** Whether the vendor has ended a response of this status. A status that is not known yet counts as an end. */
export function isOverStatus(status: unknown): boolean {
  return typeof status === 'string' && status !== 'queued' && status !== 'in_progress';
}
