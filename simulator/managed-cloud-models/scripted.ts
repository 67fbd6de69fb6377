// What a text scripts, with refusals of this vendor.
import type { Behaviour } from '../behaviour.ts';
import { directiveIn } from '../directive.ts';
import { invalid } from './refusal.ts';

/** @throws Refusal */
export function scriptedBy(text: string): Behaviour | undefined {
  try {
    return directiveIn(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}
