// Calls of the JSON API: every method of the contract, with the types of the contract.
import type { Methods } from '../../generated/contract.ts';
import { Problem, problemOf } from './problem.ts';
import { isOldSignIn, signedInAgain } from './recent-sign-in.ts';
import { accessToken, dropToken } from './session.ts';

export type MethodName = keyof Methods;
export type RequestOf<M extends MethodName> = Methods[M]['request'];
export type ResponseOf<M extends MethodName> = Methods[M]['response'];

/** A change that needs a recent sign-in waits for it. @throws Problem */
export async function call<M extends MethodName>(
  method: M,
  request: RequestOf<M>,
  signal?: AbortSignal,
): Promise<ResponseOf<M>> {
  for (;;) {
    try {
      const response = await send(method, request, signal);
      return await response.json();
    } catch (error) {
      // Refused before it had any effect, so it can be sent again.
      if (!isOldSignIn(error)) throw error;
      await signedInAgain();
    }
  }
}

/** A method whose response is a file. @throws Problem */
export async function download(method: MethodName, request: object): Promise<Blob> {
  const response = await send(method, request);
  return response.blob();
}

async function send(method: MethodName, request: object, signal?: AbortSignal): Promise<Response> {
  const token = await accessToken();
  const response = await post(method, request, { token, signal });
  if (response.status !== 401) return accept(response);
  dropToken(token);
  return accept(await post(method, request, { token: await accessToken(), signal }));
}

async function accept(response: Response): Promise<Response> {
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function post(
  method: MethodName,
  request: object,
  { token, signal }: { token: string; signal: AbortSignal | undefined },
): Promise<Response> {
  const [service, name] = method.split('.');
  // The page's folder is one below the API's root.
  return fetch(new URL(`../gateway.v1.${service}/${name}`, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(request),
    signal: signal ?? null,
    credentials: 'omit',
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem('there is no connection to the control plane', { status: 0, reason: '' });
  });
}
