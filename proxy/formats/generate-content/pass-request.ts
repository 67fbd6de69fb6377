// A client's request for the vendor of its own format: as it came, except tools of the vendor that the organization's
// settings do not let pass, signatures in the gateway's form, and a limit of output tokens that the gateway chose. Parts that name something of the whole vendor
// account are refused if the key is not the caller's.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { permits, type ToolRights } from '../own-tools.ts';
import { innerClient, passedBody } from '../splice.ts';
import { refuseAccount } from './account-fields.ts';
import { kindOf } from './client-own-tools.ts';
import { wrappedIn } from './client-thoughts.ts';
import { ownTools, toolsOf } from './client-tools.ts';
import { isMarked, returnedSignature } from './signatures.ts';
import { anySignature } from './vendor-reasoning.ts';

export interface Passing {
  /** The vendor's name of the model. */
  readonly model: string;
  readonly rights: ToolRights;
  /** The output limit that the gateway chose, because the caller gave none. */
  readonly outputTokens: unknown;
}

/** @throws GatewayError unsupported_parameter */
export function passGenerateContentRequest(sent: ClientRequest, passing: Passing): PassedRequest {
  const client = requestIn(sent);
  const { body } = client;
  const { model, rights, outputTokens } = passing;
  if (!rights.isOwnKey) refuseAccount(body, rights);
  const { tools, dropped } = withoutOwnTools(body.tools, rights);
  const lost = hasForeignThoughts(body.contents) ? ['contents.parts.thought'] : [];
  const contents = withOwnSignatures(body.contents, model);
  const changed = new Map<string, string>();
  if (tools !== undefined) changed.set('tools', writeJson(tools));
  if (contents !== undefined) changed.set('contents', writeJson(contents));
  if (isGiven(outputTokens)) {
    const name = body.generation_config === undefined ? 'generationConfig' : 'generation_config';
    const config = body[name];
    changed.set(name, writeJson({ ...(isObject(config) && config), maxOutputTokens: outputTokens }));
  }
  return { body: passedBody(client, changed), dropped: [...dropped, ...lost], headers: [] };
}

/** A request whose tokens are counted may be inside of another one. */
function requestIn(sent: ClientRequest): ClientRequest {
  if (sent.path.counts !== true) return sent;
  const name = 'generateContentRequest';
  return innerClient(sent, [sent.body[name] === undefined ? 'generate_content_request' : name]);
}

interface KeptTools {
  /** Undefined if nothing changes. */
  readonly tools: readonly JsonObject[] | undefined;
  readonly dropped: readonly string[];
}

function withoutOwnTools(tools: unknown, rights: ToolRights): KeptTools {
  if (!isGiven(tools)) return { tools: undefined, dropped: [] };
  const read = toolsOf(tools);
  const isRefused = (name: string) => !permits(rights, kindOf(name));
  const refused = read.flatMap(({ tool }) => ownTools(tool).filter(isRefused));
  if (refused.length === 0) return { tools: undefined, dropped: [] };
  const kept = read.map(({ tool }) =>
    Object.entries(tool).filter(([name, value]) => isGiven(value) && !isRefused(name)),
  );
  return {
    tools: kept.filter((fields) => fields.length > 0).map((fields) => Object.fromEntries(fields)),
    dropped: [...new Set(refused)].map((name) => `tools.${name}`),
  };
}

/** @returns undefined if nothing changes */
function withOwnSignatures(contents: unknown, model: string): readonly unknown[] | undefined {
  if (!Array.isArray(contents)) return undefined;
  const put = contents.flatMap((content: unknown) => {
    if (!isObject(content) || !objectsOf(content.parts).some(hasMark)) return [content];
    const parts = objectsOf(content.parts)
      .filter((part) => !isForeignThought(part))
      .map((part) => (hasMark(part) ? unmarked(part, model) : part));
    // A client that folds no stream sends each of its pieces as a content.
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
  return put.length < contents.length || put.some((content, index) => content !== contents[index]) ? put : undefined;
}

/** Thinking of another vendor's model, or the end of it, which has no text. */
function isForeignThought(part: JsonObject): boolean {
  return hasForeignThought(part) && !isCall(part);
}

function hasForeignThought({ thoughtSignature, thought_signature: snake }: JsonObject): boolean {
  return wrappedIn(thoughtSignature ?? snake) !== undefined;
}

function hasForeignThoughts(contents: unknown): boolean {
  return objectsOf(contents).some(({ parts }) => objectsOf(parts).some(hasForeignThought));
}

function isCall({ functionCall, function_call: snake }: JsonObject): boolean {
  return isGiven(functionCall) || isGiven(snake);
}

function hasMark({ thoughtSignature, thought_signature: snake }: JsonObject): boolean {
  const given = thoughtSignature ?? snake;
  return isMarked(given) || wrappedIn(given) !== undefined;
}

function unmarked(part: JsonObject, model: string): JsonObject {
  const { thoughtSignature, thought_signature: snake, ...rest } = part;
  const given = thoughtSignature ?? snake;
  const own = isMarked(given) ? returnedSignature(model, given) : undefined;
  const signature = own ?? (isCall(rest) ? anySignature : undefined);
  return { ...rest, ...(signature !== undefined && { thoughtSignature: signature }) };
}
