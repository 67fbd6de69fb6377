// The forms of secrets: a new one is a row here. Rows name the public description that they follow; of a vendor's own, where
// there is one. What has no form of its own is found by its name (assignments) or by where it stands (connection strings).
import { credentialPrefixes, isWellFormedCredential } from '../../../common/credential.ts';
import { type Form, token } from './form.ts';
import { isExample, isRandom, isSecretValue } from './likeness.ts';

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
    // docs.aws.amazon.com/IAM "unique identifiers"; base32 as gitleaks' aws-access-token has it. With it the secret access key, of
    // which nothing but its length is known, where it stands within 64 characters of its id.
    label: 'AWS_ACCESS_KEY',
    anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    expression:
      /A[A-Z]{3}[A-Z2-7]{16}(?![A-Za-z0-9_])(?:[\s\S]{1,64}?(?<![A-Za-z0-9/+_-])(?=[A-Za-z0-9/+]{0,39}[0-9])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[a-z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-]))?/dy,
    open: /A[A-Z]{0,3}[A-Z2-7]{0,16}$|A[A-Z]{3}[A-Z2-7]{16}(?![A-Za-z0-9_])[\s\S]{0,104}$/y,
    verify: (secret) => isRandom(secret.slice(4)) && !secret.slice(0, 20).endsWith('EXAMPLE'),
  },
  // cloud.google.com/docs/authentication/api-keys; gitleaks' gcp-api-key.
  google('GCP_API_KEY', 'AIza', `[${base64url}]{35}`),
  google('GCP_OAUTH_SECRET', 'GOCSPX-', `[${base64url}]{28}`),
  google('GCP_OAUTH_TOKEN', 'ya29.', `[${base64url}]{30,300}`),
  // learn.microsoft.com "Configure Azure Storage connection strings": 64 bytes in base64; Service Bus and others have 32.
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
    before: {
      expression: /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\d$/,
      open: /(?<![A-Za-z0-9_~.-])(?:[A-Za-z0-9_~.]{1,3}|[A-Za-z0-9_~.]{3}\dQ?)$/,
    },
    expression: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/dy,
    open: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{0,35}$/y,
    verify: isRandom,
  },
];

const services: readonly Form[] = [
  // docs.github.com "About authentication to GitHub". The checksum is not asked for: it is documented for some of them only.
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
    anchors: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glft-',
      'glsoat-',
      'glptt-',
      'glcbt-',
      'glimt-',
      'glagent-',
      'gloas-',
    ],
    characters: base64url,
    inner: '.',
    rest: `[${base64url}]{20,300}(?:(?:\\.[0-9a-z]{2})?\\.[0-9a-z]{9})?`,
    verify: isRandom,
  }),
  // api.slack.com/authentication/token-types; gitleaks' slack rules.
  token({
    label: 'SLACK_TOKEN',
    anchors: ['xoxb-', 'xoxp-', 'xoxe-', 'xoxa-', 'xoxr-', 'xoxs-', 'xapp-'],
    characters: `${letters}-`,
    rest: `[${letters}]{1,13}-[${letters}-]{16,200}`,
    verify: isRandom,
  }),
  token({
    label: 'SLACK_WEBHOOK',
    anchors: ['hooks.slack.com/'],
    characters: `${letters}/+`,
    rest: `(?:services|workflows|triggers)/[${letters}/+]{40,60}`,
    verify: isRandom,
  }),
  // docs.stripe.com/keys; webhook secrets begin with whsec_. Publishable keys (pk_) are no secret.
  token({
    label: 'STRIPE_KEY',
    anchors: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    characters: letters,
    rest: `[${letters}]{16,120}`,
    verify: isRandom,
  }),
  // gitleaks' openai-api-key: all but the newest hold "OpenAI" in base64.
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
  // huggingface.co/docs/hub/security-tokens; gitleaks' huggingface rules.
  token({
    label: 'HUGGING_FACE_TOKEN',
    anchors: ['hf_', 'api_org_'],
    characters: letters,
    rest: `[${letters}]{34}`,
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
  // pypi.org/help "API tokens": a macaroon of the place pypi.org or test.pypi.org.
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
  // twilio.com/docs/iam/api-keys: its id, by which its secret is found; an account's (AC…) is no secret.
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
    before: { expression: /(?<![0-9A-Za-z])\d{8,10}$/, open: /(?<![0-9A-Za-z])(?:\d{1,10}|\d{8,10}:A?)$/ },
    expression: /\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/dy,
    open: /\d{8,10}:AA[A-Za-z0-9_-]{0,34}$/y,
    verify: isRandom,
  },
  // No vendor's own: what gateways and many model providers give out.
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
      /eyJ[A-Za-z0-9_-]{10,1000}\.[A-Za-z0-9_-]{4,8000}\.(?:[A-Za-z0-9_-]{10,8000})?(?![A-Za-z0-9_-])/dy,
    open: /eyJ[A-Za-z0-9_-]{0,1000}(?:\.[A-Za-z0-9_-]{0,8000}){0,2}$/y,
    lead: /eyJ[A-Za-z0-9_-]{10,400}\./dy,
    verify: (secret) => namesAlgorithm(secret.slice(0, secret.indexOf('.'))),
  },
  {
    // RFC 7468, RFC 4880 (armor), OpenSSH's PROTOCOL.key. What follows the line is found as what goes on behind it.
    label: 'PRIVATE_KEY',
    anchors: ['-----BEGIN'],
    expression: /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/dy,
    open: /-----BEGIN(?: [A-Z0-9 ]{0,48}-{0,4})?$/y,
  },
  {
    // RFC 3986, 3.2.1: what stands between the colon and the at sign of an authority.
    label: 'CONNECTION_PASSWORD',
    anchors: ['://'],
    before: {
      expression: /(?<![A-Za-z0-9+])[A-Za-z][A-Za-z0-9+]{1,14}$/,
      open: /(?<![A-Za-z0-9+])[A-Za-z][A-Za-z0-9+]{0,14}(?::\/?)?$/,
    },
    expression:
      /[A-Za-z0-9+]+:\/\/[^\s:@/?#"'`<>\\]{0,64}:(?<secret>[^\s@/"'`<>\\]{1,128})@(?=[A-Za-z0-9[_-])/dy,
    open: /[A-Za-z0-9+]+:\/\/[^\s:@/?#"'`<>\\]{0,64}(?::[^\s@/"'`<>\\]{0,128}@?)?$/y,
    verify: (secret) => !isExample(secret),
  },
];

export const forms: readonly Form[] = [...gateway, ...clouds, ...services, ...general];

/** Names that say that their value is secret; in any case of letters. */
export const names: readonly string[] = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'apikey',
  'credential',
  'authorization',
  ...['api', 'access', 'account', 'auth', 'signing', 'encryption'].flatMap((of) => [
    `${of}_key`,
    `${of}-key`,
  ]),
  'accesskey',
  'accountkey',
  'api key',
];

/** What follows such a name: the rest of the name, an equals sign or a colon, and the value. */
export const assignment = {
  label: 'SECRET',
  expression:
    /[A-Za-z0-9_-]{0,24}(?:\\?["'`])?[ \t]{0,3}(?:=>|:=|==?|:)[ \t]{0,4}(?:\\?["'`])?(?:(?:Bearer|Basic|Token) )?(?<secret>[^\s"'`,;&<>(){}[\]\\$|]{10,256})(?![^\s"'`,;&<>)}\]\\|])/dy,
  open: /[A-Za-z0-9_-]{0,24}\\?["'`]?[ \t]{0,3}(?:[:=][=>]?[ \t]{0,4}\\?["'`]?(?:(?:Bearer|Basic|Token) )?[^\s"'`,;&<>(){}[\]\\$|]{0,257})?$/y,
  verify: (secret: string, name: string) =>
    isSecretValue(secret) && (/^p/i.test(name) ? hasThreeKinds(secret) : secret.length >= 16),
};

export interface Continuation {
  readonly label: string;
  readonly before: RegExp;
  readonly expression: RegExp;
  /** From the end of what matches on, in a text that goes on: what follows may belong to it. */
  readonly open: RegExp;
}

/** What goes on behind a finding and is longer than a window. At most `continuationMax` of it is held. */
export const continuations: readonly Continuation[] = [
  {
    label: 'PRIVATE_KEY',
    before: /PRIVATE KEY(?: BLOCK)?-----$/,
    // Words of base64 with white space between them, which in JSON is written as \n: no word can be read as two.
    expression:
      /(?:(?:\s|\\[nr])+(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\r\n\\]{0,80})*(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+(?:(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,15}){0,2}(?:\s|\\[nr])*-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/y,
    open: /(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,15}){0,2}(?:\s|\\[nr])*(?:\\|[A-Za-z0-9+/=]+|-{1,4}|-----[A-Z0-9 ]{0,50}-{0,4}|[A-Z][A-Za-z]+-?[A-Za-z]*:?[^\r\n\\]{0,81})?$/y,
  },
  {
    label: 'JWT',
    before: /[A-Za-z0-9_-]{16}\.$/,
    expression: /eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/y,
    open: /e?y?$/y,
  },
];

export const continuationMax = 16_384;

function google(label: string, anchor: string, rest: string): Form {
  return token({ label, anchors: [anchor], characters: base64url, rest, verify: isRandom });
}

function hasThreeKinds(value: string): boolean {
  return [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length >= 3;
}

function namesAlgorithm(head: string): boolean {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(head, 'base64url').toString());
    return typeof decoded === 'object' && decoded !== null && 'alg' in decoded;
  } catch {
    return false;
  }
}
