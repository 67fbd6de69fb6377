// The tags of a request: for each name that its organization has chosen, the value that the caller sent. They change
// nothing about the request, and no value makes it fail.
import { isUtf8 } from 'node:buffer';
import { containsCredential } from '../../common/credential.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { tagValue } from '../../common/tags.ts';
import type { Caller } from '../access/authenticator.ts';
import type { OrganizationRecord } from '../access/principal.ts';
import { repeatsKey } from '../access/repeated-keys.ts';
import { type ChatRequest, clientBody } from '../formats/chat-completions/read-request.ts';
import type { ClientFormat } from '../formats/client-format.ts';
import type { RequestHeaders } from './headers.ts';

/** Read from the caller, and never sent to a provider. */
const tagHeaderPrefix = 'x-svc-tag-';
/** The tag that fields for the caller's end user have too. */
const userTag = 'user';

export interface TaggedRequest {
  readonly request: ChatRequest;
  readonly headers: RequestHeaders;
  readonly format: Pick<ClientFormat, 'metadataField'>;
}

/** The part of a caller that decides which tags count. */
export interface TagRules {
  readonly principal: { readonly organization: Pick<OrganizationRecord, 'tagNames'> };
  readonly direct: boolean;
}

/**
 * For each name that the organization has chosen, the first of these is the value: the header, for `user` the fields of
 * the end user, the string in the metadata of the body. What has no visible value is passed over.
 * @returns undefined if the request has no tag
 */
export function requestTags(caller: TagRules, { request, headers, format }: TaggedRequest): Caller['tags'] {
  const { tagNames } = caller.principal.organization;
  if (tagNames === undefined) return undefined;
  const sent = {
    headers,
    ofTags: headers.beginningWith(tagHeaderPrefix),
    body: request.body,
    metadata: format.metadataField === undefined ? undefined : clientBody(request)[format.metadataField],
    isDirect: caller.direct,
  };
  const tags = new Map<string, string>();
  for (const name of tagNames) {
    const value = valueUnder(name, sent);
    if (value !== undefined) tags.set(name, value);
  }
  return tags.size === 0 ? undefined : tags;
}

interface Sent {
  readonly headers: RequestHeaders;
  /** Alternating names and values. */
  readonly ofTags: readonly string[];
  /** The chat request: the fields of all clients' formats for the end user are there under two names. */
  readonly body: JsonObject;
  readonly metadata: unknown;
  readonly isDirect: boolean;
}

function valueUnder(name: string, sent: Sent): string | undefined {
  const { ofTags, body, metadata } = sent;
  for (let at = 0; at + 1 < ofTags.length; at += 2) {
    const isOfName = ofTags[at] === tagHeaderPrefix + name;
    const value = isOfName ? tagValue(headerText(ofTags[at + 1] ?? '')) : undefined;
    if (value !== undefined) return value;
  }
  const user = name === userTag ? (bodyValue(body.safety_identifier, sent) ?? bodyValue(body.user, sent)) : undefined;
  // Names in the metadata are the caller's, so only its own members count: `constructor` is a name like any other.
  if (user !== undefined || !isObject(metadata) || !Object.hasOwn(metadata, name)) return user;
  return bodyValue(metadata[name], sent);
}

/** A key that was sent as a tag by mistake must not be stored. */
function bodyValue(text: unknown, { headers, isDirect }: Sent): string | undefined {
  const value = typeof text === 'string' ? tagValue(text) : undefined;
  if (value === undefined || containsCredential(value) || repeatsKey(value, headers, isDirect)) return undefined;
  return value;
}

/** Node reads header values as Latin-1; callers may send UTF-8. */
function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
