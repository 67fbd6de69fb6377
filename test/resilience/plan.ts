// What a call wants from the simulated vendor, inside its own message, and the text that the vendor then sends: each
// word names its vendor and its position, so that a gap, a repetition or a text of two vendors is noticed.
import type { Behaviour } from '../../simulator/index.ts';

export interface CallPlan extends Pick<Behaviour, 'headDelayMs' | 'pieceDelayMs' | 'stop'> {
  /** Its request id. Calls without a name are not counted. */
  readonly name?: string;
  readonly words: number;
  /** Tokens that the vendor reports. */
  readonly prompt: number;
  readonly completion: number;
}

export function contentOf(plan: CallPlan): string {
  return JSON.stringify({ plan });
}

/** @param body of a request in the format of any vendor here */
export function planIn(body: unknown): CallPlan | undefined {
  const { messages } = (body ?? {}) as { readonly messages?: readonly { readonly content?: unknown }[] };
  const content = messages?.at(-1)?.content;
  const [part] = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
  const text = typeof content === 'string' ? content : (part?.text ?? '');
  if (!text.startsWith('{"plan"')) return undefined;
  return (JSON.parse(text) as { readonly plan: CallPlan }).plan;
}

export function textOf({ name = '', words }: Pick<CallPlan, 'name' | 'words'>, vendor: string): string {
  const letter = vendor.slice(0, 1);
  const numbered = Array.from({ length: words }, (_, index) => `${letter}${index + 1}`);
  return [`${letter}:${name}`, ...numbered, `${letter}.`].join(' ');
}

/**
 * What is wrong with a text that a caller got; undefined: nothing.
 * @param isWhole whether the caller takes it for the whole text
 */
export function faultOfText(
  text: string,
  plan: Pick<CallPlan, 'name' | 'words'>,
  { vendor, isWhole }: { readonly vendor: string; readonly isWhole: boolean },
): string | undefined {
  const whole = textOf(plan, vendor);
  if (isWhole ? text === whole : whole.startsWith(text)) return undefined;
  if (whole.startsWith(text))
    return `is truncated after ${text.length} of ${whole.length} characters, but looks complete`;
  const at = Array.from(text).findIndex((letter, index) => letter !== whole[index]);
  return `has another text from character ${at} on: …${text.slice(Math.max(0, at - 20), at + 20)}…`;
}
