// Whether the vendor would accept these credentials: a signature by one of the simulated accounts, or an API key.
// Signatures are verified completely; each step has the vendor's own error type and text.
import type { Received, ResponseContext } from '../wire-format.ts';
import { type Account, findAccount } from './accounts.ts';
import { Refusal, type VendorError } from './refusal.ts';
import { algorithm, canonicalRequest, type Scope, sha256, signatureOf, stringToSign, terminator } from './signature.ts';

/** @throws Refusal */
export function authorize(received: Received, { keys, now }: Pick<ResponseContext, 'keys' | 'now'>): void {
  const { authorization } = received.headers;
  if (authorization === undefined) throw denied('MissingAuthenticationToken', 'Missing Authentication Token');
  const key = /^Bearer\s+(.*)$/i.exec(authorization)?.[1];
  if (key === undefined) checkSigned(received, authorization, now);
  else checkApiKey(key, keys);
}

function checkSigned(received: Received, authorization: string, now: number): void {
  const claim = parseClaim(received, authorization);
  const account = checkAccount(claim);
  checkTime(claim, now);
  checkSignedHeaders(received, claim);
  checkSignature(received, claim, account);
  if (account.denied) throw notAuthorized(received);
}

const ownKey = /^(sk-sim-[A-Za-z0-9_-]+|ABSKSim[A-Za-z0-9+/=]+)$/;

function checkApiKey(key: string, keys: ReadonlySet<string>): void {
  if (ownKey.test(key) || keys.has(key)) return;
  const message = /^(ABSK|bedrock-api-key-|sk-sim-)/.test(key)
    ? 'Authentication failed: Please make sure your API Key is valid.'
    : 'Invalid API Key format: Must start with pre-defined prefix';
  throw new Refusal(403, { type: 'AccessDeniedException', message }, 'framework');
}

/** The parts of the Authorization header, and the headers that it depends on. */
interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** `x-amz-date`: yyyymmddThhmmssZ. */
  readonly time: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly sessionToken: string | undefined;
}

function parseClaim({ headers }: Received, authorization: string): Claim {
  const [scheme, rest = ''] = authorization.split(/\s+(.*)/s);
  const hint = `(Hashed with SHA-256 and encoded with Base64) Authorization=${sha256Base64(authorization)}`;
  if (scheme !== algorithm) {
    throw incomplete(`Authorization header requires algorithm '${algorithm}'. ${hint}`);
  }
  const fields = new Map(rest.split(',').map((field) => splitOnce(field.trim(), '=')));
  const time = headers['x-amz-date'];
  const absent = ['Credential', 'SignedHeaders', 'Signature'].filter((name) => !fields.get(name));
  const complaints = absent.map((name) => `Authorization header requires '${name}' parameter.`);
  // The vendor also accepts the plain Date header. The simulator does not: it would have to be signed, and no SDK sends
  // it.
  if (typeof time !== 'string') {
    complaints.push("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.");
  }
  if (typeof time !== 'string' || complaints.length > 0) throw incomplete(`${complaints.join(' ')} ${hint}`);
  if (!/^\d{8}T\d{6}Z$/.test(time)) {
    throw incomplete(`Date must be in ISO-8601 'basic format'. Got '${time}'.`);
  }
  const token = headers['x-amz-security-token'];
  return {
    ...parseCredential(fields.get('Credential') ?? '', time),
    time,
    signedHeaders: (fields.get('SignedHeaders') ?? '').split(';'),
    signature: fields.get('Signature') ?? '',
    sessionToken: typeof token === 'string' ? token : undefined,
  };
}

function parseCredential(credential: string, time: string): Pick<Claim, 'accessKeyId' | 'scope'> {
  const [accessKeyId = '', date = '', region = '', service = '', end = '', ...more] = credential.split('/');
  if (end === '' || more.length > 0) {
    throw incomplete(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  if (date !== time.slice(0, 8)) {
    throw badSignature(
      `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${date}' != '${time.slice(0, 8)}', from '${time}'.`,
    );
  }
  if (!/^[a-z]{2}(-[a-z0-9]+)+-\d{1,2}$/.test(region)) {
    throw badSignature(`Credential should be scoped to a valid region, not '${region}'. `);
  }
  if (service !== 'bedrock') {
    throw badSignature("Credential should be scoped to correct service: 'bedrock'. ");
  }
  if (end !== terminator) {
    throw badSignature(`Credential should be scoped with a valid terminator: '${terminator}', not '${end}'. `);
  }
  return { accessKeyId, scope: { date, region, service } };
}

function checkAccount({ accessKeyId, sessionToken }: Claim): Account {
  const account = findAccount(accessKeyId);
  if (account === undefined || account.sessionToken !== sessionToken) {
    throw denied('UnrecognizedClientException', 'The security token included in the request is invalid.');
  }
  if (account.expired) {
    throw denied('ExpiredTokenException', 'The security token included in the request is expired');
  }
  return account;
}

const skewSeconds = 5 * 60;

function checkTime({ time }: Claim, now: number): void {
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const at = Date.parse(iso) / 1000;
  if (Number.isNaN(at)) throw incomplete(`Date must be in ISO-8601 'basic format'. Got '${time}'.`);
  if (at < now - skewSeconds) {
    throw badSignature(
      `Signature expired: ${time} is now earlier than ${basicTime(now - skewSeconds)} (${basicTime(now)} - 5 min.)`,
    );
  }
  if (at > now + skewSeconds) {
    throw badSignature(
      `Signature not yet current: ${time} is still later than ${basicTime(now + skewSeconds)} (${basicTime(now)} + 5 min.)`,
    );
  }
}

function checkSignedHeaders({ headers }: Received, { signedHeaders }: Claim): void {
  if (!signedHeaders.includes('host')) {
    throw badSignature("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  const unsigned = Object.keys(headers).find((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  if (unsigned !== undefined) {
    throw badSignature(`'${unsigned}' must be a 'SignedHeader' in the AWS Authorization.`);
  }
}

function checkSignature(received: Received, claim: Claim, account: Account): void {
  const canonical = canonicalRequest(received, claim.signedHeaders);
  const text = stringToSign(canonical, claim.scope, claim.time);
  if (signatureOf(text, account.secretAccessKey, claim.scope) === claim.signature) return;
  // The vendor quotes every signed header, also the session token. A program that passes this text on passes the token
  // on.
  throw badSignature(
    `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.\n\nThe Canonical String for this request should have been\n'${canonical}'\n\nThe String-to-Sign should have been\n'${text}'\n`,
  );
}

function notAuthorized({ path }: Received): Refusal {
  const action = path.endsWith('-stream') ? 'InvokeModelWithResponseStream' : 'InvokeModel';
  const message = `User: arn:aws:iam::111122223333:user/simulated is not authorized to perform: bedrock:${action} because no identity-based policy allows the bedrock:${action} action`;
  return new Refusal(403, { type: 'AccessDeniedException', message });
}

function denied(type: VendorError['type'], message: string): Refusal {
  return new Refusal(403, { type, message });
}

function badSignature(message: string): Refusal {
  return denied('InvalidSignatureException', message);
}

function incomplete(message: string): Refusal {
  return new Refusal(400, { type: 'IncompleteSignature', message });
}

function basicTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

function sha256Base64(text: string): string {
  return Buffer.from(sha256(text), 'hex').toString('base64');
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
