// Calls of the console's paths for programs. The address is the console's public URL: https, or http on this machine.
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { isLoopbackHost } from '../common/addresses.ts';
import { isObject, type JsonObject, parseJson } from '../common/json.ts';
import { CallFailure } from './call-failure.ts';
import { Failure, usageMistake } from './failure.ts';

/** @returns the URL with a slash at its end. @throws Failure */
export function consoleUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url?.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (
    url === undefined ||
    !(url.protocol === 'https:' || isPlain) ||
    url.username !== '' ||
    url.search + url.hash !== ''
  ) {
    throw usageMistake('--console must be the URL of the console, such as https://gateway.example.com/console/');
  }
  return url.pathname.endsWith('/') ? url : new URL(`${url.href}/`);
}

export interface ConsoleCall {
  readonly base: URL;
  /** Below the console's path. */
  readonly path: string;
  readonly body: object;
  /** PEM of authorities; absent: those of the system. */
  readonly caFile?: string | undefined;
  readonly timeoutMs: number;
}

const bytesMax = 64 * 1024;

/** @throws CallFailure with the console's code, Failure if there is no response */
export async function callConsole({ base, path, body, caFile, timeoutMs }: ConsoleCall): Promise<JsonObject> {
  const url = new URL(path, base);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  };
  const { status, content } = await new Promise<{ status: number; content: string }>((resolve, reject) => {
    const request = send(url, options, (response) => {
      text(response).then((all) => resolve({ status: response.statusCode ?? 0, content: all }), reject);
    });
    request.once('error', reject);
    request.end(JSON.stringify(body));
  }).catch((error: Error) => {
    throw new Failure('unreachable', `the console at ${base.href} does not respond: ${error.message}`);
  });
  const value = content.length > bytesMax ? undefined : parseJson(content);
  if (status === 200 && isObject(value)) return value;
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  const { code = '', message = `it responds with status ${status}` } = error;
  throw new CallFailure(String(message), {
    code: 'UNAUTHENTICATED',
    reason: String(code),
    violations: [],
    retryAfter: undefined,
  });
}
