// The virtual key that a sidecar attaches to requests that bring none, so that the application needs no credential. The
// rule is the same in both modes: a request that brings a virtual key, in any form, is left unchanged.
import { readFile } from 'node:fs/promises';
import { credentialPrefixes, isWellFormedCredential } from '../../common/credential.ts';
import { type FileWatcher, type FileWatcherOptions, startFileWatcher } from '../../common/file-watcher.ts';
import { Secret } from '../../common/secret.ts';
import { type CredentialHeaders, credentialHeaders } from './credentials.ts';

export interface AttachedKeySettings {
  /** The key at the start of the program. */
  readonly key: Secret;
  /** The file from which the key is read again when it changes. */
  readonly file: string | undefined;
}

export type AttachedKey = Pick<FileWatcher<Secret>, 'current' | 'close'>;

export type AttachingHeader = 'x-svc-vk' | 'project-api-key';

/**
 * The header that the key is put into, replacing its value in the request.
 * @returns undefined if the request brings a key, or contradicts itself, which is refused later
 */
export function attachingHeader(headers: CredentialHeaders, onProviderRoute: boolean): AttachingHeader | undefined {
  for (const name of credentialHeaders) {
    const containsKey = headers.get(name)?.includes(credentialPrefixes.virtualKey) === true;
    if (containsKey || headers.conflicts.includes(name)) return undefined;
  }
  return onProviderRoute ? 'project-api-key' : 'x-svc-vk';
}

/** The request's headers, with the key added if the rule requires it. */
export function withAttachedKey(
  headers: CredentialHeaders,
  onProviderRoute: boolean,
  key: Secret | undefined,
): CredentialHeaders {
  const header = key && attachingHeader(headers, onProviderRoute);
  if (key === undefined || header === undefined) return headers;
  return {
    get: (name) => (name === header ? key.reveal() : headers.get(name)),
    conflicts: headers.conflicts,
  };
}

/** @throws Error whose message does not contain the text */
export function attachableKey(text: string): Secret {
  if (!isWellFormedCredential('virtualKey', text)) {
    throw new Error(
      text === ''
        ? 'is empty; it must be a virtual key, sk-svc-…'
        : 'is not a virtual key: sk-svc- and 49 letters and digits, as it was shown when it was created',
    );
  }
  return new Secret(text);
}

export function watchAttachedKey({ key, file }: AttachedKeySettings, options: FileWatcherOptions): AttachedKey {
  if (file === undefined) return { current: key, close: () => undefined };
  const read = async () => {
    const text = await readFile(file, 'utf8');
    try {
      return attachableKey(text.trim());
    } catch (error) {
      throw new Error(`the content of ${file} ${error instanceof Error ? error.message : ''}`);
    }
  };
  const isSame = (one: Secret, other: Secret) => one.reveal() === other.reveal();
  return startFileWatcher(key, { read, isSame, file, what: 'the attached key' }, options);
}
