// A vendor's format for requests whose tokens are only counted. A client of the vendor's own format gets the vendor's
// response and errors; for others, the number is written in their format, and every error means that nothing was
// counted.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { count } from '../../conversation/usage.ts';
import { type CountForm, NotCountedError } from '../count-form.ts';
import type { Format, FormatCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import type { ChatRequest } from './read-request.ts';

/** @param isNative the client has the vendor's format */
export function countingFormat(format: Format<ChatRequest>, form: CountForm, isNative: boolean): Format<ChatRequest> {
  return {
    ...format,
    writeRequest: (call) => {
      const { headers, body, dropped, emulated } = format.writeRequest(call);
      return { headers, body: form.writeBody(body, call.model), dropped, emulated };
    },
    readResponse: (call, { body }) => {
      const response = parseJson(body.toString());
      const tokens = isObject(response) ? count(form.tokensIn(response)) : undefined;
      if (tokens === undefined) throw protocolError('the response has no number of tokens');
      // No model was called, so there is no usage and no text.
      const nothing = { usage: undefined, model: undefined, textTokens: 0 };
      return { ...nothing, body: isNative ? body : Buffer.from(writeJson(countFor(call, tokens))) };
    },
    readError: (status, body, head) => {
      const error = format.readError(status, body, head);
      // A client of the format knows 529, and waits.
      if (!isNative || (status !== 529 && isOfCounter(error, form))) throw new NotCountedError(error);
      return error;
    },
  };
}

function countFor({ request: { client } }: FormatCall<ChatRequest>, tokens: number): object {
  if (client === undefined) throw new Error('the format has no counts');
  return client.translation.writeCount(tokens);
}

/** Whether the counter is at fault, or is not there for this key or this model. */
function isOfCounter(error: VendorError, form: CountForm): boolean {
  const { status } = error;
  if (status === 400) return form.lacksModel?.(error) === true;
  return status === 403 || status === 404 || status === 405 || status >= 500;
}
