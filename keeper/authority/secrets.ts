// Reads and writes Secrets at the API server: texts by key, and the version that a write was made from. The manifests
// create the Secrets empty; the keeper creates none.
import { isObject, type JsonObject } from '../../common/json.ts';
import { type ApiClient, ApiError } from '../api/client.ts';
import { paths, textsIn, versionOf } from '../api/sources.ts';
import type { SecretData } from './authorities.ts';

export interface StoredSecret {
  readonly namespace: string;
  readonly name: string;
  readonly data: SecretData;
  readonly version: string | undefined;
}

export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}

/** @throws ApiError; status 404 with a message that names the manifests that create it */
export async function readSecret(client: ApiClient, { namespace, name }: SecretRef): Promise<StoredSecret> {
  try {
    return secretIn(await client.get(paths.secret(namespace, name)), { namespace, name });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new ApiError(404, `there is no Secret ${namespace}/${name}: apply the manifests that bring it, empty`);
  }
}

/** @param data null removes a key @throws ApiError; 409 if the Secret has changed since it was read */
export async function writeSecret(
  client: ApiClient,
  { namespace, name, version }: StoredSecret,
  data: Readonly<Record<string, string | null>>,
): Promise<StoredSecret> {
  const encoded = Object.entries(data).map(([key, text]) => [
    key,
    text === null ? null : Buffer.from(text).toString('base64'),
  ]);
  const patch = { metadata: { resourceVersion: version }, data: Object.fromEntries(encoded) };
  return secretIn(await client.patch(paths.secret(namespace, name), patch), { namespace, name });
}

function secretIn(object: JsonObject, ref: SecretRef): StoredSecret {
  const entries = Object.entries(textsIn(isObject(object.data) ? object.data : {}));
  const data = entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString('utf8')]);
  return { ...ref, data: Object.fromEntries(data), version: versionOf(object) };
}
