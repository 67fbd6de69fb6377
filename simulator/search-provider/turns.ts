// The order of turns: where calls and their responses may be, and which calls must have their signature.
import { type Content, isModel, type Part } from './content.ts';
import type { SimulatedModel } from './models.ts';
import { invalidArgument } from './refusal.ts';
import { isIssued, skipsValidation } from './signature.ts';

/** @throws Refusal */
export function checkTurns(contents: readonly Content[], model: SimulatedModel): void {
  contents.forEach((_, index) => {
    checkCallTurn(contents, index);
    checkResponseTurn(contents, index);
  });
  const last = contents.at(-1);
  if (last !== undefined && isModel(last) && !model.continues) {
    throw invalidArgument('Requests ending with a model turn are not supported.');
  }
  checkSignatures(contents, model);
  checkMultimodal(contents, model);
}

/** The vendor's page "Function calling": Gemini 3 and later. */
function checkMultimodal(contents: readonly Content[], model: SimulatedModel): void {
  const media = contents.flatMap(responsesOf).flatMap(({ parts = [] }) => parts);
  if (media.length === 0) return;
  if (!model.multimodalResponses) {
    throw invalidArgument('Multimodal function responses are not supported for this model.');
  }
  const odd = media.find(({ inlineData }) => inlineData && !inResponses.has(String(inlineData.mimeType)));
  if (odd !== undefined) {
    throw invalidArgument(`Unsupported MIME type in a function response: ${odd.inlineData?.mimeType}`);
  }
}

const inResponses: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'application/pdf',
  'text/plain',
]);

function checkCallTurn(contents: readonly Content[], index: number): void {
  const calls = callsOf(contents[index]);
  if (calls.length === 0) return;
  // Text and thoughts of the same turn may be in contents of their own: a history kept from a stream has them so.
  if (contents.slice(0, index).every(isModel)) {
    const message =
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    throw invalidArgument(message);
  }
  if (responsesOf(contents[index + 1]).length === calls.length) return;
  const message =
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  throw invalidArgument(message);
}

function checkResponseTurn(contents: readonly Content[], index: number): void {
  const responses = responsesOf(contents[index]);
  if (responses.length === 0) return;
  const calls = callsOf(contents[index - 1]);
  if (calls.length === 0) {
    const message = 'Please ensure that function response turn comes immediately after a function call turn.';
    throw invalidArgument(message);
  }
  const open = [...calls];
  for (const { id, name } of responses) {
    const at = open.findIndex((call) => call.name === name && (id === undefined || id === call.id));
    if (at < 0) {
      const which = id === undefined ? `\`${name}\`` : `\`${name}\` with id \`${id}\``;
      throw invalidArgument(
        `Please ensure that function responses match the function calls of the function call turn: there is no open call of ${which}.`,
      );
    }
    open.splice(at, 1);
  }
}

function checkSignatures(contents: readonly Content[], model: SimulatedModel): void {
  const current = startOfCurrentTurn(contents);
  contents.forEach(({ parts = [] }, index) => {
    for (const part of parts) checkSignature(part);
    const first = parts.find((part) => part.functionCall !== undefined);
    if (!model.signs || index < current || first === undefined || first.thoughtSignature) return;
    const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall?.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
    throw invalidArgument(message);
  });
}

function checkSignature({ thoughtSignature: signature, functionCall: call }: Part): void {
  if (signature === undefined || skipsValidation(signature) || isIssued(signature, call?.name)) return;
  throw invalidArgument('Corrupted thought signature.');
}

/** A turn begins with a user's content. Responses to calls continue the turn. */
function startOfCurrentTurn(contents: readonly Content[]): number {
  return contents.findLastIndex((one) => !isModel(one) && responsesOf(one).length === 0);
}

function callsOf(content: Content | undefined) {
  return content?.parts?.flatMap((part) => part.functionCall ?? []) ?? [];
}

function responsesOf(content: Content | undefined) {
  return content?.parts?.flatMap((part) => part.functionResponse ?? []) ?? [];
}
