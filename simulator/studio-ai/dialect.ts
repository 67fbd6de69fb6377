// One of the ways in which the service is spoken to: below which path, and how it words what others found wrong.
import type { FieldFault } from '../checks.ts';
import { refusalOf } from '../gpt-provider/faults.ts';
import { Refusal } from '../gpt-provider/refusal.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../wire-format.ts';
import { StudioRefusal } from './refusal.ts';

export interface Dialect {
  /** Behind the format's base path. */
  readonly prefix: string;
  /**
   * @param path what is behind the prefix
   * @throws StudioRefusal, Refusal, FieldFault
   */
  respond(path: string, received: Received, context: ResponseContext): SimulatedResponse;
  /** What the checks shared with the models' own vendor throw, as it is told here. */
  refusal(error: Refusal | FieldFault): StudioRefusal;
}

/** A GPT model's refusal passes through as its vendor words it. */
export function asVendor(error: Refusal | FieldFault): StudioRefusal {
  const { status, error: body } = error instanceof Refusal ? error : refusalOf(error);
  return new StudioRefusal(status, { error: body });
}

export function queryOf(received: Received, name: string): string | undefined {
  return new URLSearchParams(received.query).get(name) ?? undefined;
}

/** A segment of a path; undefined where it cannot be decoded, so that it is nothing's name. */
export function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
