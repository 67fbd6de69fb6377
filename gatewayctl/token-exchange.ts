// Gets an operator token of a service account for a token of an outside issuer, so that machines need no stored token:
// a file, such as the one that Kubernetes renews in a pod, or GitHub Actions' own service.
import { isLoopbackHost } from '../common/addresses.ts';
import { isObject, parseJson } from '../common/json.ts';
import { Secret } from '../common/secret.ts';
import { CallFailure } from './call-failure.ts';
import { connectionProblem } from './connection-failure.ts';
import { Failure, usageMistake } from './failure.ts';
import { type Io, readGiven } from './io.ts';
import type { Target } from './target.ts';

export interface ExchangeWish {
  readonly serviceAccount?: string;
  readonly tokenExchange?: string;
}

/** Where an outside token comes from, and whose token it is exchanged for. */
export interface ExchangeSource {
  readonly serviceAccountId: string;
  /** Undefined: GitHub Actions. */
  readonly file: string | undefined;
}

const usualAudience = 'model-gateway';

/** Undefined: nothing requests an exchange. @throws Failure if a half of it is missing */
export function exchangeSource(options: ExchangeWish, env: NodeJS.ProcessEnv): ExchangeSource | undefined {
  const file = options.tokenExchange ?? (env.GATEWAY_OIDC_TOKEN_FILE || undefined);
  const serviceAccountId = options.serviceAccount ?? (env.GATEWAY_SERVICE_ACCOUNT || undefined);
  if (serviceAccountId !== undefined && (file !== undefined || env.ACTIONS_ID_TOKEN_REQUEST_URL)) {
    return { serviceAccountId, file };
  }
  if (options.tokenExchange === undefined && options.serviceAccount === undefined) return undefined;
  throw usageMistake(
    'an exchange needs --service-account with an id, and --token-exchange with a file; only in a workflow of GitHub Actions with `id-token: write` the id is enough',
  );
}

/** @param target without a token @throws Failure */
export async function exchangedToken(
  { serviceAccountId, file }: ExchangeSource,
  target: Omit<Target, 'token'>,
  io: Io,
): Promise<Secret> {
  // Read anew for each command: the file is renewed.
  const subjectToken = (file === undefined ? await githubToken(io.env) : await readGiven(file, io)).trim();
  const { dial } = await import('./client.ts');
  const withoutToken = { ...target, token: undefined };
  const client = dial(withoutToken);
  try {
    const { accessToken } = await client.call('Tokens.Exchange', {
      grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
      ...{ subjectToken, serviceAccountId },
    });
    return new Secret(accessToken);
  } catch (error) {
    throw error instanceof CallFailure ? failureOf(error, withoutToken) : error;
  } finally {
    client.close();
  }
}

function failureOf(failure: CallFailure, target: Target): Failure {
  if (failure.reason === undefined) {
    return new Failure(
      'unreachable',
      `no connection to ${target.server}: ${connectionProblem(failure, target).advice}`,
    );
  }
  const ending = failure.code === 'UNAVAILABLE' ? 'unreachable' : 'unauthenticated';
  return new Failure(ending, `the token was not exchanged: ${failure.message.replace(/\p{C}/gu, ' ')}`);
}

const timeoutMs = 10_000;

/** A new token of the workflow's job, for the audience of the trust row. @throws Failure */
async function githubToken(env: NodeJS.ProcessEnv): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: text = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: token = '' } = env;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && !isLoopbackHost(url.hostname)))
    throw usageMistake('ACTIONS_ID_TOKEN_REQUEST_URL must be an https URL');
  url.searchParams.set('audience', env.GATEWAY_OIDC_AUDIENCE || usualAudience);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    const body = parseJson(await response.text());
    if (response.ok && isObject(body) && typeof body.value === 'string') return body.value;
  } catch {
    // Its message may contain the URL, which the job's service made.
  }
  throw new Failure('unreachable', 'GitHub Actions gave no token; the workflow needs `permissions: id-token: write`');
}
