// The tags of a request: for each name that its organization has chosen, the value that the caller sent. They change
// nothing about the request, and no value makes it fail.
import { isUtf8 } from 'node:buffer';
import { containsCredential } from '../../common/credential.ts';
import { isObject } from '../../common/json.ts';
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
export function requestTags(caller: TagRules, tagged: TaggedRequest): Caller['tags'] {
  const { tagNames } = caller.principal.organization;
  if (tagNames === undefined) return undefined;
  const tags = new Map<string, string>();
  const sent = headersOf(tagNames, tagged.headers);
  for (const name of tagNames) {
    const value = valueUnder(name, sent, tagged, caller.direct);
    if (value !== undefined) tags.set(name, value);
  }
  return tags.size === 0 ? undefined : tags;
}

/** Alternating names and values. */
function headersOf(tagNames: readonly string[], headers: RequestHeaders): readonly string[] {
  return headers.matching(
    (header) => header.startsWith(tagHeaderPrefix) && tagNames.includes(header.slice(tagHeaderPrefix.length)),
  );
}

function valueUnder(
  name: string,
  sent: readonly string[],
  { request, headers, format }: TaggedRequest,
  isDirect: boolean,
): string | undefined {
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const value = sent[at] === tagHeaderPrefix + name ? tagValue(headerText(sent[at + 1] ?? '')) : undefined;
    if (value !== undefined) return value;
  }
  for (const text of bodyTexts(name, request, format)) {
    const value = typeof text === 'string' ? tagValue(text) : undefined;
    // A key that was sent as a tag by mistake must not be stored.
    if (value !== undefined && !containsCredential(value) && !repeatsKey(value, headers, isDirect)) return value;
  }
  return undefined;
}

/** Names in a body are the caller's, so only its own members count: `constructor` is a name like any other. */
function bodyTexts(name: string, request: ChatRequest, { metadataField }: TaggedRequest['format']): readonly unknown[] {
  // The fields of all clients' formats are in the chat request under these two names.
  const ofUser = name === userTag ? [request.body.safety_identifier, request.body.user] : [];
  const metadata = metadataField === undefined ? undefined : clientBody(request)[metadataField];
  return isObject(metadata) && Object.hasOwn(metadata, name) ? [...ofUser, metadata[name]] : ofUser;
}

/** Node reads header values as Latin-1; callers may send UTF-8. */
function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
