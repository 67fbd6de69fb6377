// One of the APIs of the service: its path prefix, its responses, and its form of errors that shared checks found.
import type { FieldFault } from '../checks.ts';
import { refusalOf } from '../gpt-provider/faults.ts';
import { Refusal } from '../gpt-provider/refusal.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { StudioRefusal } from './refusal.ts';

export interface Dialect {
  /** The part of the path after the format's base path. */
  readonly prefix: string;
  /**
   * @param path the part after the prefix
   * @throws StudioRefusal, Refusal, FieldFault
   */
  respond(path: string, received: Received, context: ResponseContext): SimulatedResponse;
  /** Turns an error of the checks shared with the models' vendor into this API's form. */
  refusal(error: Refusal | FieldFault): StudioRefusal;
}

/** Passes a GPT model's refusal on in its vendor's form. */
export function asVendor(error: Refusal | FieldFault): StudioRefusal {
  const { status, error: body } = error instanceof Refusal ? error : refusalOf(error);
  return new StudioRefusal(status, { error: body });
}

export function queryOf(received: Received, name: string): string | undefined {
  return new URLSearchParams(received.query).get(name) ?? undefined;
}

/** A decoded segment of a path; undefined if it cannot be decoded, so that no name equals it. */
export function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
