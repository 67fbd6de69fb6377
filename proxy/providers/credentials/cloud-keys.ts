// The credential of a cloud account: a request is signed with an access key pair, or contains an API key as a bearer
// token.
import { bearer } from './api-key.ts';
import { type Authorize, type CredentialTarget, type UpstreamRequest, unusableTarget } from './credential.ts';
import { type AccessKeys, regionOf, signedHeaders } from './sigv4.ts';

export const cloudKeys: Authorize = (request, target, now) => {
  const { accessKeyId, secretAccessKey, sessionToken, apiKey } = target.credential;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return signed(request, { accessKeyId, secretAccessKey, sessionToken }, { ...target, now });
  }
  if (apiKey === undefined) throw unusableTarget('the target has neither access keys nor an API key');
  return bearer(request, target, now);
};

/** The only signed header beside the host and the signature's own: proxies on the way may change others. */
const signedName = 'content-type';

function signed(
  { origin, path, headers, body }: UpstreamRequest,
  keys: AccessKeys,
  target: CredentialTarget & { readonly now: number },
): Promise<string[]> {
  const region = target.region ?? regionOf(target.baseUrl);
  if (region === undefined) throw unusableTarget('the target has no region');
  const at = headers.indexOf(signedName);
  const unsigned = { origin, path, body, headers: { [signedName]: headers[at + 1] ?? '' } };
  const scope = { region, now: target.now, keep: target.providerKeyId !== undefined };
  return signedHeaders(unsigned, keys, scope).then((all) => [...all, ...headers.toSpliced(at, 2)]);
}
