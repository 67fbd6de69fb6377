// Errors inside a stream for clients of the Responses API (SDK type `ResponseErrorEvent` of the package openai).
import type { PublicError } from '../client-format.ts';

/** Every other event of a stream has a number from 0; the one of an error does not know how many came before it. */
const noSequence = -1;

export function writeResponsesStreamError({ message, param, code }: PublicError): string {
  const fields = { code: code ?? null, message, param: param ?? null };
  return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: noSequence, ...fields })}\n\n`;
}
