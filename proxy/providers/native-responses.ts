// Requests of Responses clients at a server of their own format.
import type { NativeCall, WriteNative } from '../formats/chat-completions/native.ts';
import { type PassesField, passingBody } from '../formats/chat-completions/passed-fields.ts';
import type { ClientRequest, PassedRequest } from '../formats/client-format.ts';
import { rightsOf } from '../formats/own-tools.ts';
import { withoutForeign } from '../formats/responses/foreign-items.ts';
import { passResponsesRequest } from '../formats/responses/pass-request.ts';
import type { ProviderCall } from './provider.ts';

export function nativePath({ target, request }: ProviderCall): string {
  return `${target.baseUrl.path}/responses${request.client?.path.compacts === true ? '/compact' : ''}`;
}

/** At the vendor of the format every field passes. */
export const passToVendor: WriteNative = (client, call) => passed(client, call, []);

/** A server behind an operator's URL gets the fields that `passesField` lets pass. */
export const passToCustom: WriteNative = (client, call) => {
  const passing = passingBody(client.body, call.target.provider.passesField ?? nothingPasses);
  const isWhole = passing.dropped.length === 0;
  return passed(isWhole ? client : { ...client, body: passing.body, bytes: undefined }, call, passing.dropped);
};

const nothingPasses: PassesField = () => false;

function passed(sent: ClientRequest, call: NativeCall, lost: readonly string[]): PassedRequest {
  const { model, target, request, isGuarded = false } = call;
  const { client, dropped } = withoutForeign(sent);
  const written = passResponsesRequest(client, {
    model,
    ...rightsOf(target),
    outputTokens: request.body.max_completion_tokens,
    isGuarded,
  });
  return { ...written, dropped: [...new Set([...lost, ...written.dropped, ...dropped])] };
}
