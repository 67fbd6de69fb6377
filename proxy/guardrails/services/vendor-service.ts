// A vendor's service, called through its adapter (guardrails/services). Requests are sent like those to webhooks: under
// the same address rule, over https only, without following redirects. A response that the adapter cannot read is a
// failed check.
import type { Clock } from '../../../common/clock.ts';
import type { GuardedPost } from '../../../common/guarded-request.ts';
import { parseJson } from '../../../common/json.ts';
import type { Secret } from '../../../common/secret.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import type { ServiceCheck, ServiceCredential } from '../../../guardrails/definition.ts';
import type {
  ServiceAdapter,
  ServiceAuthentication,
  ServiceExchange,
  ServiceFinding,
  TextVerdict,
} from '../../../guardrails/services/adapter.ts';
import { serviceAdapter } from '../../../guardrails/services/index.ts';
import type { OrganizationRecord } from '../../access/principal.ts';
import type { Target } from '../../providers/provider.ts';
import { ServiceFailedError, type ServiceQuestion, type ServiceVerdict } from '../service.ts';
import { documentsOf, type TextDocument, verdictsOf } from './documents.ts';
import { AccessTokens } from './google-token.ts';
import type { Ask } from './limited-check.ts';

/** Signature Version 4, as for requests to models. @returns all headers, as alternating names and values */
export type CloudSigner = (
  request: {
    readonly origin: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  },
  keys: {
    readonly accessKeyId: Secret;
    readonly secretAccessKey: Secret;
    readonly sessionToken: Secret | undefined;
  },
  scope: { readonly region: string; readonly now: number; readonly keep: boolean },
) => Promise<readonly string[]>;

export interface CloudAccess {
  /** The stored keys of managed-cloud-models, in the order in which they are tried. */
  targets(organization: OrganizationRecord): readonly Target[];
  readonly sign: CloudSigner;
}

export interface VendorServiceDeps {
  readonly post: GuardedPost;
  readonly clock: Pick<Clock, 'now'>;
  readonly cloud: CloudAccess;
}

/** Maximum number of parallel requests of one question. */
const parallelMax = 4;

export function createVendorAsk(check: ServiceCheck, deps: VendorServiceDeps): Ask {
  const adapter = serviceAdapter(check.adapter);
  const { serviceAccount } = check.credential ?? {};
  const tokens = serviceAccount && new AccessTokens(serviceAccount, { post: deps.post, now: () => deps.clock.now() });
  return async (question, signal) => {
    if (adapter === undefined) throw new ServiceFailedError('unknown');
    const request: ServiceRequest = { check, adapter, deps, tokens, question };
    const { documents, exchanges } = exchangesOf(request);
    const verdicts = documents.map((): TextVerdict[] => []);
    const next = exchanges.values();
    // If one request fails, the others are aborted.
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const askOn = async () => {
      for (const exchange of next) {
        const reported = await postExchange(exchange, request, either);
        for (const [at, index] of exchange.texts.entries()) verdicts[index]?.push(reported[at] ?? { found: [] });
      }
    };
    try {
      await Promise.all(Array.from({ length: parallelMax }, askOn));
    } finally {
      ending.abort();
    }
    return verdictOf(verdictsOf(documents, verdicts), check.labels);
  };
}

interface ServiceRequest {
  readonly check: ServiceCheck;
  readonly adapter: ServiceAdapter;
  readonly deps: VendorServiceDeps;
  readonly tokens: AccessTokens | undefined;
  readonly question: ServiceQuestion;
}

function exchangesOf({ check, adapter, question }: ServiceRequest): {
  readonly documents: readonly TextDocument[];
  readonly exchanges: readonly ServiceExchange[];
} {
  const { stage, texts, guardrail, window } = question;
  // A masked document can replace only a single text.
  const documents = documentsOf(texts, guardrail.action === 'redact' ? 0 : window);
  const requested = { stage, texts: documents.map(({ text }) => text), context: question.context() };
  return { documents, exchanges: adapter.ask(requested, check) };
}

/** @throws ServiceFailedError, NoResponseError, or the error of the connection */
async function postExchange(
  exchange: ServiceExchange,
  request: ServiceRequest,
  signal: AbortSignal,
): Promise<readonly TextVerdict[]> {
  const { check, adapter, deps, question } = request;
  const owner = { organization: question.organization.id, key: question.guardrail.id };
  const url = `${check.url}${exchange.path}`;
  const body = JSON.stringify(exchange.body);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'model-gateway-guardrails',
  };
  const authorized = await authorization(
    { url, body, headers, authentication: adapter.authenticate(check), owner },
    request,
    signal,
  );
  const response = await deps.post({ url, headers: { ...headers, ...authorized }, body, owner }, signal);
  if (response.status !== 200) throw new ServiceFailedError('refused');
  const read = parseJson(response.body.toString('utf8'));
  if (read === undefined) throw new ServiceFailedError('answer');
  const verdicts = exchange.read(read);
  if (verdicts.length !== exchange.texts.length) throw new ServiceFailedError('answer');
  return verdicts;
}

interface Authorizing {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authentication: ServiceAuthentication;
  readonly owner: ShareOwner;
}

/** @throws ServiceFailedError no_key */
async function authorization(
  request: Authorizing,
  { check, deps, tokens, question }: ServiceRequest,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const { authentication, owner } = request;
  switch (authentication.kind) {
    case 'header': {
      const { name, prefix, isOptional } = authentication;
      const key = check.credential?.apiKey?.reveal();
      if (key !== undefined) return { [name]: `${prefix}${key}` };
      if (isOptional === true) return {};
      throw new ServiceFailedError('no_key');
    }
    case 'aws': {
      const own = check.credential ?? deps.cloud.targets(question.organization)[0]?.credential;
      if (own === undefined) throw new ServiceFailedError('no_key');
      const scope = { region: authentication.region, now: deps.clock.now(), keep: true };
      return await cloudHeaders(request, own, (unsigned, keys) => deps.cloud.sign(unsigned, keys, scope));
    }
    case 'google': {
      if (tokens === undefined) throw new ServiceFailedError('no_key');
      const { scope } = authentication;
      return { authorization: `Bearer ${await tokens.token({ scope, owner, signal })}` };
    }
  }
}

async function cloudHeaders(
  { url, body, headers }: Authorizing,
  { apiKey, accessKeyId, secretAccessKey, sessionToken }: ServiceCredential,
  sign: (request: Parameters<CloudSigner>[0], keys: Parameters<CloudSigner>[1]) => ReturnType<CloudSigner>,
): Promise<Record<string, string>> {
  if (apiKey !== undefined) return { authorization: `Bearer ${apiKey.reveal()}` };
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new ServiceFailedError('no_key');
  const { origin, pathname } = new URL(url);
  const keys = { accessKeyId, secretAccessKey, sessionToken };
  const signed = await sign({ origin, path: pathname, headers, body }, keys);
  const named: Record<string, string> = {};
  for (let at = 0; at + 1 < signed.length; at += 2) named[signed[at] ?? ''] = signed[at + 1] ?? '';
  return named;
}

/** Keeps only matches whose labels count. */
export function verdictOf(found: readonly TextVerdict[], counting: readonly string[]): ServiceVerdict {
  const counts = ({ label }: ServiceFinding) => counting.length === 0 || counting.includes(label);
  const left = found.map((verdict) => ({ ...verdict, found: verdict.found.filter(counts) }));
  const labels = new Set(left.flatMap((verdict) => verdict.found.map(({ label }) => label)));
  return labels.size === 0 ? { kind: 'pass' } : { kind: 'found', labels: [...labels], found: left };
}
