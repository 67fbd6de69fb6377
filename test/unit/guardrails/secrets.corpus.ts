// Texts with secrets of every form, and similar texts without a secret. All are assembled from parts while the test
// runs, at random from a fixed seed, so that this repository contains nothing that looks like a key.
import { createCredential } from '../../../common/credential.ts';
import { Random } from '../../support/access/random.ts';

export interface Labelled {
  readonly what: string;
  readonly text: string;
  readonly spans: readonly { readonly start: number; readonly end: number; readonly label: string }[];
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const letters = upper + lower + digits;
const hex = `${digits}abcdef`;
const base64 = `${letters}+/`;
const base64url = `${letters}-_`;

let random = new Random(20_261_122);

const below = (limit: number) => random.below(limit);
const chance = (length: number, characters = letters) =>
  Array.from({ length }, () => characters.charAt(below(characters.length))).join('');
const oneOf = <T>(values: readonly T[]) => random.pick(values);
/** Joins parts, so that no secret scanner matches them in this file. */
const joined = (...parts: readonly string[]) => parts.join('');
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function pem(kind: string, length: number, newline = '\n'): string {
  const body = chance(length, base64).match(/.{1,64}/g) ?? [];
  const line = (word: string) => joined('-----', word, ' ', kind, '-----');
  return [line('BEGIN'), ...body, line('END')].join(newline);
}

function jwt(claims: number): string {
  const head = encoded({ alg: oneOf(['HS256', 'RS256', 'ES384']), typ: 'JWT', kid: chance(8) });
  return [head, encoded({ sub: chance(claims), iat: below(1e9) }), chance(43, base64url)].join('.');
}

/** Makers of secrets by label; each makes another secret in each call. */
export const makers: Readonly<Record<string, readonly (() => string)[]>> = {
  GATEWAY_KEY: [
    () => createCredential('virtualKey'),
    () => createCredential('operator'),
    () => createCredential('proxy'),
    () => createCredential('bootstrap'),
  ],
  AWS_ACCESS_KEY: [
    () => joined('AK', 'IA', chance(16, `${upper}234567`)),
    () => joined('AS', 'IA', chance(16, `${upper}234567`)),
    () => joined('AK', 'IA', chance(16, `${upper}234567`), '\nAWS_SECRET_ACCESS_KEY=', chance(40, base64)),
    () => joined('AK', 'IA', chance(16, `${upper}234567`), '", "SecretAccessKey": "', chance(40, base64)),
  ],
  GCP_API_KEY: [() => joined('AI', 'za', chance(35, base64url))],
  GCP_OAUTH_SECRET: [() => joined('GOC', 'SPX-', chance(28, base64url))],
  AZURE_CLIENT_SECRET: [() => joined(chance(3), '8', 'Q~', chance(33, `${letters}_`), 'a')],
  GITHUB_TOKEN: [
    () => joined(oneOf(['gh', 'gh']), oneOf(['p_', 'o_', 'u_', 's_', 'r_']), chance(36)),
    () => joined('github', '_pat_', chance(22), '_', chance(59)),
  ],
  GITLAB_TOKEN: [
    () => joined('gl', 'pat-', chance(20, letters)),
    () => joined('gl', oneOf(['dt-', 'rt-', 'ft-']), chance(20, letters)),
    () => joined('gl', 'pat-', chance(51, letters), '.01.', chance(9, digits + lower)),
  ],
  SLACK_TOKEN: [
    () => joined('xo', 'xb-', chance(12, digits), '-', chance(13, digits), '-', chance(24)),
    () => joined('xo', 'xp-', [11, 11, 12].map((n) => chance(n, digits)).join('-'), '-', chance(32, hex)),
  ],
  STRIPE_KEY: [
    () => joined('sk', '_live_', chance(24)),
    () => joined('rk', '_test_', chance(99)),
    () => joined('wh', 'sec_', chance(32)),
  ],
  OPENAI_KEY: [
    () => joined('sk', '-proj-', chance(74, base64url), 'T3Blbk', 'FJ', chance(73, base64url), 'A'),
    () => joined('sk', '-svcacct-', chance(58, base64url), 'T3Blbk', 'FJ', chance(57, base64url), 'A'),
  ],
  ANTHROPIC_KEY: [() => joined('sk', '-ant-', oneOf(['api03-', 'admin01-']), chance(93, base64url), 'AA')],
  HUGGING_FACE_TOKEN: [() => joined('h', 'f_', chance(34, upper + lower))],
  NPM_TOKEN: [() => joined('np', 'm_', chance(36))],
  PYPI_TOKEN: [() => joined('py', 'pi-AgEI', 'cHlwaS5vcmc', chance(150, base64url), 'x')],
  SENDGRID_KEY: [() => joined('S', 'G.', chance(22), '.', chance(43))],
  TWILIO_KEY: [() => joined('S', 'K', chance(32, hex))],
  TELEGRAM_BOT_TOKEN: [() => joined('7', chance(9, '2468013579'), ':', 'AA', chance(32), 'k')],
  API_KEY: [() => joined('sk', '-', chance(48)), () => joined('sk', '-', chance(20), 'T3Blbk', 'FJ', chance(20))],
  JWT: [() => jwt(20), () => jwt(120), () => jwt(900)],
  PRIVATE_KEY: [
    () => pem('PRIVATE KEY', 1600),
    () => pem('RSA PRIVATE KEY', 1588),
    () => pem('EC PRIVATE KEY', 164),
    () => pem('OPENSSH PRIVATE KEY', 410),
    () => pem('ENCRYPTED PRIVATE KEY', 500),
    // The form inside the JSON of a service account.
    () => `${pem('PRIVATE KEY', 1600, '\\n')}`,
  ],
};

/** `§` is replaced by the secret. */
const contexts: readonly string[] = [
  'Hi, I rotated it this morning: § — please try again.',
  'The log contains\n2031-04-05T06:07:08Z ERROR upstream refused § (attempt 3 of 5)\nand nothing else.',
  'const client = new Client({ key: "§", retries: 3 });',
  '{"user":"x","key":"§","limit":5}',
  'export KEY=§\nexport REGION=eu-west-1\n',
  "curl -H 'x-key: §' https://api.example.com/v1/items",
  'https://api.example.com/v1/items?key=§&page=2',
  '§',
  'env:\n  - name: KEY\n    value: §\n  - name: DEBUG\n    value: "1"\n',
  '“§”, she wrote. “Is that the one?” No: this (§).',
];

const passwordNames = ['password', 'DB_PASSWORD', 'passwd', 'adminPassword'] as const;
const secretNames = [
  'api_key',
  'apiKey',
  'X-Api-Key',
  'client_secret',
  'SECRET_KEY',
  'access_token',
  'authToken',
  'aws_secret_access_key',
  'encryption-key',
] as const;
/** `#` is replaced by the name. */
const assignments: readonly string[] = ['# = "§"', '#: §', '"#": "§",', "#='§'", 'export #=§\n', '  # := `§`;', '#=>§'];

const schemes = ['postgres', 'postgresql', 'mysql', 'mongodb+srv', 'redis', 'rediss', 'amqp', 'https'] as const;

export function labelledTexts(): readonly Labelled[] {
  random = new Random(20_261_122);
  return [...ofForms(), ...ofNames(), ...ofConnections(), ...ofSeveral(), ...lookAlikes()];
}

function ofForms(): readonly Labelled[] {
  return Object.entries(makers).flatMap(([label, some]) =>
    contexts.map((context, index) => written(label, context, () => (some[index % some.length] ?? (() => ''))(), label)),
  );
}

function ofNames(): readonly Labelled[] {
  const secrets = assignments.flatMap((form) => {
    const names = [0, 1, 2].map(() => oneOf(secretNames));
    const values = [() => chance(16 + below(30)), () => chance(32, hex), () => chance(40, base64)];
    return names.map((name, index) => written('named', form.replace('#', name), values[index] ?? (() => ''), 'SECRET'));
  });
  const passwords = assignments.map((form) =>
    written(
      'password',
      form.replace('#', oneOf(passwordNames)),
      () => joined(chance(4, upper), chance(4, digits), oneOf(['!', '#', '%', '-']), chance(5, lower)),
      'SECRET',
    ),
  );
  const bearer = written('bearer', 'Authorization: Bearer §\r\nAccept: */*', () => chance(40), 'SECRET');
  return [...secrets, ...passwords, bearer];
}

function ofConnections(): readonly Labelled[] {
  return schemes
    .flatMap((scheme) => [
      written('url', `connect to ${scheme}://app:§@db.internal:1234/main now`, () => chance(12), 'CONNECTION_PASSWORD'),
      written('url', `URL="${scheme}://:§@cache-0.example.com/0"`, () => 'hunter2', 'CONNECTION_PASSWORD'),
    ])
    .concat([
      written(
        'azure',
        'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=§;EndpointSuffix=core',
        () => `${chance(86, base64)}==`,
        'AZURE_ACCOUNT_KEY',
      ),
      written(
        'azure',
        'Endpoint=sb://acme.example.net/;SharedAccessKeyName=all;SharedAccessKey=§',
        () => `${chance(43, base64)}=`,
        'AZURE_ACCOUNT_KEY',
      ),
    ]);
}

/** Returns texts with several secrets of several forms. */
function ofSeveral(): readonly Labelled[] {
  return Array.from({ length: 30 }, () => {
    let text = '';
    const spans: { start: number; end: number; label: string }[] = [];
    for (let count = 2 + below(4); count > 0; count--) {
      const [label, some] = oneOf(Object.entries(makers));
      const made = written(label, `${oneOf(contexts)}\n`, some[0] ?? (() => ''), label);
      spans.push(
        ...made.spans.map((span) => ({
          ...span,
          start: span.start + text.length,
          end: span.end + text.length,
        })),
      );
      text += made.text;
    }
    return { what: 'several', text, spans };
  });
}

function written(what: string, context: string, make: () => string, label: string): Labelled {
  let text = '';
  const spans: { start: number; end: number; label: string }[] = [];
  for (const [index, part] of context.split('§').entries()) {
    if (index > 0) {
      const secret = make();
      spans.push({ start: text.length, end: text.length + secret.length, label });
      text += secret;
    }
    text += part;
  }
  return { what, text, spans };
}

/** Texts that look like secrets, in their typical contexts. Each is made ten times. */
const alike: Readonly<Record<string, () => string>> = {
  uuid: () => `request ${uuid()} of session_token ${uuid()} took 3 ms; {"id":"${uuid()}","token_id":"${uuid()}"}`,
  commit: () => `commit ${chance(40, hex)}\nMerge: ${chance(7, hex)} ${chance(7, hex)}\n\n    secret: rotate it`,
  digest: () => `image: registry.example.com/app@sha256:${chance(64, hex)}`,
  lockfile: () =>
    `"integrity": "sha512-${chance(86, base64)}==", "resolved": "https://npm.example.com/a-${chance(3, digits)}.tgz"`,
  image: () => `<img src="data:image/png;base64,iVBORw0KGgo${chance(1500, base64)}=">`,
  font: () => `src: url(data:font/woff2;base64,d09GMgABAAAAA${chance(700, base64)}==) format("woff2");`,
  css: () =>
    `.token-${chance(5, lower)}__key--AKIA { color: #${chance(6, hex)}; background: url(/sk-${chance(4, lower)}.svg); }`,
  certificate: () => pem('CERTIFICATE', 900),
  'public key': () =>
    `${pem('PUBLIC KEY', 360)}\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${chance(43, base64)} me@example.com`,
  code: () =>
    oneOf([
      'const token = await getAccessToken(user, { refresh: true });',
      'if (password == expectedPassword || token === storedTokenValue) throw new InvalidCredentialError();',
      'secret: process.env.CLIENT_SECRET_PRODUCTION, apiKey: config.services.payments.apiKey,',
      'self.secret_key = os.environ["DJANGO_SECRET_KEY"]',
      'password = request.form.get("password_confirmation")',
      'token_type: TokenType.AccessTokenWithRefresh, tokenizer = AutoTokenizer.from_pretrained("x")',
    ]),
  manual: () =>
    oneOf([
      'export API_KEY=your-api-key-goes-here-1234',
      joined('password: "changeme"\nsecret: "<YOUR_CLIENT_SECRET>"\ntoken: "$', '{GITHUB_TOKEN}"'),
      `use ${joined('AK', 'IA')}IOSFODNN7EXAMPLE as in the manual`,
      `ghp_${'x'.repeat(36)} or sk-${'X'.repeat(48)} or ${joined('gl', 'pat-')}XXXXXXXXXXXXXXXXXXXX`,
      'postgres://user:password@localhost:5432/app and redis://:<password>@cache',
      'api_key = "{{ vault.api_key_of_service }}"  # secret: $(kubectl get secret my-secret-name)',
    ]),
  prose: () =>
    oneOf([
      'The secret of a good password: length. A token is a unit of text; the token count was 1,234,567 today.',
      'Our API key rotation policy: every ninety days, whatever the tokenization-of-everything team says.',
      'Access key: see the runbook-for-on-call-engineers page, section passphrase-handling.',
      'Passwords: internationalisation-and-localisation of the sign-in page is done in release2031.',
    ]),
  'short prefix': () =>
    `AKIA${chance(8, upper)} SK${chance(5, upper)} sk-${chance(9)} ghp_${chance(12)} hf_hub_download npm_config_cache SG.x.y`,
  'long prefix': () => `${joined('AK', 'IA')}${chance(30, upper)} gh${'p_'}${chance(50)} ${'S'}K${chance(64, hex)}`,
  'not a token': () =>
    `eyJ${chance(20)}.${chance(20)}.${chance(20)} and ${encoded({ page: chance(9), next: true })}.${chance(30)}.${chance(30)}`,
  'other key': () => `${'pk'}_live_${chance(24)} AC${chance(32, hex)} sk-svc-${chance(49)}`,
  url: () => `https://example.com:8443/@scope/pkg?q=a:b@c http://[::1]:80/ ftp://me@example.com ws://host:9/p:q@r`,
  time: () =>
    `${chance(10, digits)}:AAA 2031-01-02T03:04:05Z 10.0.0.1:8080 +49 30 ${chance(8, digits)} DE${chance(20, digits)}`,
  arn: () => `secret: arn:aws:secretsmanager:eu-west-1:${chance(12, digits)}:secret:payments-database-password`,
  minified: () =>
    `!function(e,t){var n=e.token,r=t.secret;n.password=function(e){return r(e)},e.apiKey=n}(${chance(3, lower)});`,
  base64: () => `payload=${chance(400, base64)}== nonce: ${chance(8, digits)}`,
  variable: () =>
    oneOf(['token: ', 'secret=', 'api_key = ']) +
    oneOf([
      'accessTokenProviderV2Factory',
      'com.example.security.TokenStore2',
      'refresh_token_rotation_enabled_v2',
      'ThirdPartyClientSecretResolver3',
    ]),
  pod: () => `pod/payments-secret-token-reader-${chance(9, hex)}-${chance(5, lower)} Running  token: mounted`,
};

function uuid(): string {
  return [8, 4, 4, 4, 12].map((length) => chance(length, hex)).join('-');
}

function lookAlikes(): readonly Labelled[] {
  return Object.entries(alike).flatMap(([what, make]) =>
    Array.from({ length: 10 }, () => ({ what, text: make(), spans: [] })),
  );
}
