// The built-in forms of secrets: the table in vendors.ts, and here the forms that a table row cannot express. Each
// names the public description that it follows, the vendor's own if there is one. A secret without its own form is
// found by its name (assignment.ts) or by its location (connection strings, curl).
import { credentialPrefixes, isWellFormedCredential } from '../../../common/credential.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { type Form, lead, token, writtenForm } from './form.ts';
import { isExample, isRandom } from './likeness.ts';
import { vendorTokens } from './vendors.ts';

const letters = 'A-Za-z0-9';
const base64url = 'A-Za-z0-9_-';

const gateway: readonly Form[] = (['virtualKey', 'operator', 'proxy', 'bootstrap'] as const).map((kind) =>
  token({
    label: 'GATEWAY_KEY',
    anchors: [credentialPrefixes[kind]],
    characters: letters,
    rest: `[${letters}]{49}`,
    verify: (secret) => isWellFormedCredential(kind, secret),
  }),
);

const clouds: readonly Form[] = [
  {
    // docs.aws.amazon.com/IAM "unique identifiers"; base32 as in gitleaks' aws-access-token. The match includes the
    // secret access key if it is within 64 characters of its id; only the length of that key is known.
    label: 'AWS_ACCESS_KEY',
    anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'A3T'],
    expression:
      /A(?:[A-Z]{3}|3T[A-Z0-9])[A-Z2-7]{16}(?![A-Za-z0-9_])(?:[\s\S]{1,64}?(?<![A-Za-z0-9/+_-])(?=[A-Za-z0-9/+]{0,39}[0-9])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[a-z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-]))?/dy,
    open: /A[A-Z0-9]{0,3}[A-Z2-7]{0,16}$|A[A-Z0-9]{3}[A-Z2-7]{16}(?![A-Za-z0-9_])[\s\S]{0,104}$/y,
    verify: (secret) => isRandom(secret.slice(4)) && !secret.slice(0, 20).endsWith('EXAMPLE'),
  },
  // cloud.google.com/docs/authentication/api-keys; gitleaks' gcp-api-key.
  google('GCP_API_KEY', 'AIza', `[${base64url}]{35}`),
  google('GCP_OAUTH_SECRET', 'GOCSPX-', `[${base64url}]{28}`),
  google('GCP_OAUTH_TOKEN', 'ya29.', `[${base64url}]{30,300}`),
  // learn.microsoft.com "Configure Azure Storage connection strings": 64 bytes in base64; Service Bus and others: 32.
  {
    label: 'AZURE_ACCOUNT_KEY',
    anchors: ['AccountKey=', 'SharedAccessKey='],
    expression:
      /(?:AccountKey|SharedAccessKey)=(?<secret>(?:[A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=))(?![A-Za-z0-9+/=])/dy,
    open: /(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{0,86}={0,2}$/y,
    verify: isRandom,
  },
  {
    // gitleaks' azure-ad-client-secret: three characters, a digit, "Q~", 31 to 34 more.
    label: 'AZURE_CLIENT_SECRET',
    anchors: ['Q~'],
    lead: lead('A-Za-z0-9_~.', [4, 4], 'A-Za-z0-9_~.-'),
    expression: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/dy,
    open: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{0,35}$/y,
    verify: isRandom,
  },
];

const services: readonly Form[] = [
  // docs.github.com "About authentication to GitHub". The checksum is not verified, because it is documented for only
  // some of them.
  token({
    label: 'GITHUB_TOKEN',
    anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    characters: letters,
    rest: `(?:[${letters}]{36}|[${letters}]{76})`,
    verify: isRandom,
  }),
  token({
    label: 'GITHUB_TOKEN',
    anchors: ['github_pat_'],
    characters: `${letters}_`,
    rest: `[${letters}]{22}_[${letters}]{59}`,
    verify: isRandom,
  }),
  // docs.gitlab.com/security/tokens "Token prefixes"; newer ones end with a length and a checksum.
  token({
    label: 'GITLAB_TOKEN',
    anchors: ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glptt-', 'glcbt-', 'glimt-', 'glagent-', 'gloas-'],
    characters: base64url,
    inner: '.',
    rest: `[${base64url}]{20,300}(?:(?:\\.[0-9a-z]{2})?\\.[0-9a-z]{9})?`,
    verify: isRandom,
  }),
  // api.slack.com/authentication/token-types; gitleaks' slack rules.
  token({
    label: 'SLACK_TOKEN',
    anchors: ['xoxb-', 'xoxp-', 'xoxe-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxc-', 'xapp-'],
    characters: `${letters}-`,
    rest: `(?:[${letters}]{1,13}-[${letters}-]{16,200}|[${letters}]{30,60})`,
    verify: isRandom,
  }),
  // The cookie of a browser session.
  token({
    label: 'SLACK_TOKEN',
    anchors: ['xoxd-'],
    characters: `${letters}%/+_-`,
    rest: `[${letters}%/+_-]{80,390}`,
    verify: isRandom,
  }),
  token({
    label: 'SLACK_TOKEN',
    anchors: ['xoxe.xoxb-', 'xoxe.xoxp-'],
    characters: letters,
    inner: '-',
    rest: `\\d-[${letters}]{140,180}`,
    verify: isRandom,
  }),
  token({
    label: 'SLACK_WEBHOOK',
    anchors: ['hooks.slack.com/'],
    characters: `${letters}/+`,
    rest: `(?:services|workflows|triggers)/[${letters}/+]{40,60}`,
    verify: (secret) => isRandom(secret.slice(secret.lastIndexOf('/') + 1)),
  }),
  // docs.stripe.com/keys; webhook secrets begin with whsec_. Publishable keys (pk_) are not secret.
  token({
    label: 'STRIPE_KEY',
    anchors: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_', 'whsec_'],
    characters: letters,
    rest: `[${letters}]{16,120}`,
    verify: isRandom,
  }),
  // gitleaks' openai-api-key: all but the newest contain "OpenAI" in base64.
  token({
    label: 'OPENAI_KEY',
    anchors: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    characters: base64url,
    rest: `[${base64url}]{40,300}`,
    verify: isRandom,
  }),
  // gitleaks' anthropic-api-key, anthropic-admin-api-key.
  token({
    label: 'ANTHROPIC_KEY',
    anchors: ['sk-ant-'],
    characters: base64url,
    rest: `[a-z]{2,8}\\d{2}-[${base64url}]{80,120}`,
    verify: isRandom,
  }),
  // github.blog changelog 2021-09-23, npm's access tokens.
  token({
    label: 'NPM_TOKEN',
    anchors: ['npm_'],
    characters: letters,
    rest: `[${letters}]{36}`,
    verify: isRandom,
  }),
  // pypi.org/help "API tokens": a macaroon for the location pypi.org or test.pypi.org.
  token({
    label: 'PYPI_TOKEN',
    anchors: ['pypi-AgEI', 'pypi-AgEN'],
    characters: base64url,
    rest: `[${base64url}]{60,380}`,
    verify: isRandom,
  }),
  // docs.sendgrid.com "API keys"; gitleaks' sendgrid-api-token.
  token({
    label: 'SENDGRID_KEY',
    anchors: ['SG.'],
    characters: base64url,
    inner: '.',
    rest: `[${base64url}]{22}\\.[${base64url}]{43}`,
    verify: isRandom,
  }),
  // twilio.com/docs/iam/api-keys: the id of a key, next to which its secret is found; an account's id (AC…) is not
  // secret.
  token({
    label: 'TWILIO_KEY',
    anchors: ['SK'],
    characters: letters,
    rest: '[0-9a-f]{32}',
    verify: isRandom,
  }),
  {
    // core.telegram.org/bots/api "Authorizing your bot".
    label: 'TELEGRAM_BOT_TOKEN',
    anchors: [':AA'],
    lead: lead('0-9', [8, 10], letters),
    expression: /\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/dy,
    open: /\d{8,10}:AA[A-Za-z0-9_-]{0,34}$/y,
    verify: isRandom,
  },
  // No particular vendor: the form that gateways and many model providers issue.
  token({
    label: 'API_KEY',
    anchors: ['sk-'],
    characters: base64url,
    rest: `(?=[A-Za-z]*[0-9])[${letters}]{32,64}`,
    verify: isRandom,
  }),
];

const general: readonly Form[] = [
  {
    // RFC 7519: the head is JSON that names an algorithm.
    label: 'JWT',
    anchors: ['eyJ'],
    expression:
      /eyJ[A-Za-z0-9_-]{10,1000}\.(?:eyJ[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,8000})?|[A-Za-z0-9_-]{4,8000}\.(?:[A-Za-z0-9_-]{10,8000})?)(?![A-Za-z0-9_-])/dy,
    open: /eyJ[A-Za-z0-9_-]{0,1000}(?:\.[A-Za-z0-9_-]{0,8000}){0,2}$/y,
    head: /eyJ[A-Za-z0-9_-]{10,400}\./dy,
    verify: (secret) => namesAlgorithm(secret.slice(0, secret.indexOf('.'))),
  },
  {
    // RFC 7468, RFC 4880 (armor), OpenSSH's PROTOCOL.key. The body after this line is found as a continuation.
    label: 'PRIVATE_KEY',
    anchors: ['-----BEGIN'],
    expression: /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/dy,
    open: /-----BEGIN(?: [A-Z0-9 ]{0,48}-{0,4})?$/y,
  },
  {
    // putty.org.uk "PPK file format": the body after this line is found as a continuation.
    label: 'PRIVATE_KEY',
    anchors: ['Private-Lines: '],
    expression: /Private-Lines: \d{1,3}(?=\s|\\[nr])/dy,
    open: /Private-Lines: \d{0,3}\\?$/y,
  },
  {
    // curl.se/docs/manpage.html, -u: the part after the colon.
    label: 'CURL_PASSWORD',
    anchors: ['-u ', '-u=', "-u'", '-u"', '--user ', '--user='],
    expression: /--?u(?:ser)?[= \t]{0,5}["']?[^\s:"'<>{}$]{0,64}["']?:["']?(?<secret>[^\s"'<>{}[\]()]{6,128})/dy,
    open: /--?u(?:ser)?[= \t]{0,5}["']?[^\s:"'<>{}$]{0,64}(?:["']?:["']?[^\s"'<>{}[\]()]{0,129})?$/y,
    verify: isPassword,
  },
  {
    // RFC 3986, 3.2.1: the part between the colon and the at sign of an authority.
    label: 'CONNECTION_PASSWORD',
    anchors: ['://'],
    lead: lead('A-Za-z0-9+', [2, 15]),
    expression:
      /[A-Za-z][A-Za-z0-9+]*:\/\/[^\s:@/?#"'`<>\\]{0,64}:(?<secret>[^\s@/"'`<>\\]{1,128})@(?=[A-Za-z0-9[_-])/dy,
    open: /[A-Za-z0-9+]+:\/\/[^\s:@/?#"'`<>\\]{0,64}(?::[^\s@/"'`<>\\]{0,128}@?)?$/y,
    verify: (secret) => !isExample(secret),
  },
];

/**
 * Tokens longer than a window: the head is found first, then the rest as a continuation. With the beginning of their
 * bodies.
 */
const longTokens = [
  // docs.aws.amazon.com/bedrock "API keys": a signed URL in base64, which begins with the name of the service.
  ['BEDROCK_KEY', 'bedrock-api-key-', 'YmVkcm9jay5hbWF6b25hd3MuY29t'],
  // gitleaks' 1password-service-account-token: JSON in base64.
  ['ONEPASSWORD_TOKEN', 'ops_', 'eyJ[A-Za-z0-9+/]{60}'],
  // fly.io/docs "Tokens": macaroons.
  ['FLY_TOKEN', 'fm2_', '[A-Za-z0-9+/]{96}'],
  ['FLY_TOKEN', 'fm1r_', '[A-Za-z0-9+/]{96}'],
  ['FLY_TOKEN', 'fm1a_', '[A-Za-z0-9+/]{96}'],
] as const;

const vendors = vendorTokens.flatMap(([label, own]) => own.map((form) => writtenForm(label, form)));

export const forms: readonly Form[] = [
  ...gateway,
  ...clouds,
  ...services,
  ...vendors,
  ...longTokens.map(([label, anchor, body]) => longToken(label, anchor, body)),
  ...general,
];

export interface Continuation {
  readonly label: string;
  readonly before: RegExp;
  /** The characters with which `before` may end; it is only tried after one of them. */
  readonly last: string;
  readonly expression: RegExp;
  /** Matches from the end of the continuation in an incomplete text if later text may belong to it. */
  readonly open: RegExp;
}

/** Text that continues after a match and is longer than a window. At most `continuationMax` of it is held back. */
export const continuations: readonly Continuation[] = [
  {
    label: 'PRIVATE_KEY',
    before: /PRIVATE KEY(?: BLOCK)?-----$/,
    last: '-',
    // Runs of base64 separated by white space, which JSON writes as \n; no run can be read as two.
    expression:
      /(?:(?:\s|\\[nr])+(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\r\n\\]{0,80})*(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+(?:(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,15}){0,2}(?:\s|\\[nr])*-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/y,
    open: /(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,15}){0,2}(?:\s|\\[nr])*(?:\\|[A-Za-z0-9+/=]+|-{1,4}|-----[A-Z0-9 ]{0,50}-{0,4}|[A-Z][A-Za-z]+-?[A-Za-z]*:?[^\r\n\\]{0,81})?$/y,
  },
  {
    label: 'PRIVATE_KEY',
    before: /Private-Lines: \d{1,3}$/,
    last: '0123456789',
    expression:
      /(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{4,64}(?![A-Za-z0-9+/=-]))+(?:(?:\s|\\[nr])+Private-MAC: [0-9a-f]{40,64})?/y,
    open: /(?:\s|\\[nr])*(?:\\|[A-Za-z0-9+/=]{1,64}|Private-[MAC]{0,3}(?:: ?[0-9a-f]{0,64})?)?$/y,
  },
  ...longTokens.map(([label, anchor, body]) => restOfLong(label, anchor, body)),
  {
    label: 'JWT',
    before: /[A-Za-z0-9_-]{16}\.$/,
    last: '.',
    expression: /eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/y,
    open: /e?y?$/y,
  },
];

export const continuationMax = 16_384;

/** @param body expression for the beginning of the body, which identifies the token */
function longToken(label: string, anchor: string, body: string): Form {
  const before = RegExp.escape(anchor);
  return {
    label,
    anchors: [anchor],
    expression: new RegExp(`${before}(?=${body})[A-Za-z0-9+/_-]{20,4000}={0,3}(?![A-Za-z0-9+/_-])`, 'dy'),
    open: new RegExp(`${before}[A-Za-z0-9+/_-]{0,4000}={0,3}$`, 'y'),
    head: new RegExp(`${before}(?=${body})`, 'dy'),
    verify: (secret) => secret.length <= anchor.length || isRandom(secret.slice(-40)),
  };
}

function restOfLong(label: string, anchor: string, body: string): Continuation {
  return {
    label,
    before: new RegExp(`(?<![A-Za-z0-9_])${RegExp.escape(anchor)}$`),
    last: anchor.slice(-1),
    expression: new RegExp(`(?=${body})[A-Za-z0-9+/_-]+={0,3}`, 'y'),
    open: /[A-Za-z0-9+/_-]*={0,3}$/y,
  };
}

/** Excludes groups, paths, variables and words. */
function isPassword(secret: string): boolean {
  if (/^[/$%*#]/.test(secret) || isExample(secret)) return false;
  return [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(secret)).length >= 2;
}

function google(label: string, anchor: string, rest: string): Form {
  return token({ label, anchors: [anchor], characters: base64url, rest, verify: isRandom });
}

function namesAlgorithm(head: string): boolean {
  const decoded = parseJson(Buffer.from(head, 'base64url').toString());
  return isObject(decoded) && 'alg' in decoded;
}
