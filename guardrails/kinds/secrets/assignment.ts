// Secrets that are recognized by their name: "password", "api_key" and similar, followed by the syntax that programs,
// files and people use between a name and its value. Every part of the expressions is bounded, so that a name costs the
// same everywhere.
import { isExample, isSecretValue, isUuid } from './likeness.ts';

const keys = [
  ...['api', 'access', 'account', 'auth', 'signing', 'encryption', 'private', 'secret', 'license'],
  ...['cloudant', 'softlayer', 'ibm', 'sl', 'iam', 'cloud', 'artif', 'app', 'master', 'admin', 'service'],
];

/** Names whose values are secret; any letter case. */
export const names: readonly string[] = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  '_pass',
  '-pass',
  'dbpass',
  'secret',
  'token',
  'apikey',
  'credential',
  'authorization',
  ...keys.flatMap((of) => [`${of}_key`, `${of}-key`]),
  'accesskey',
  'accountkey',
  'privatekey',
  'cloudant_pw',
  'jfrog-art-api',
  'api key',
];

const quote = '["\'`]';
const blanks = '[ \\t]{0,4}';
/** The rest of a name and its closing syntax: a quote, a subscript. */
const tail = `(?<tail>[A-Za-z0-9_.-]{0,24})(?![A-Za-z0-9_.-])(?:\\\\?${quote}|\\]|\\[\\d{0,4}\\]){0,3}`;
const type = `(?:[ \\t]{0,2}:?[ \\t]{0,2}&?(?:'static )?(?:[Ss]tring|str|char)\\b)?`;
const operator = '(?:=>|[:|?.+]{0,3}={1,3}|!={1,2}|:)';
const scheme = '(?:(?:Bearer|Basic|Token|Api-Token) )?';
const opening = `@?\\\\?${quote}{1,3}`;
const bare = `[^\\s"'\`,;&<>(){}[\\]\\\\$|]{10,256}`;
const quoted = `[^\\s"'\`\\\\<>]{10,256}`;
const none = `(?![^\\s"'\`,;&<>)}\\]\\\\|])`;
const closed = `(?=\\\\?${quote})`;

/** The syntax between a name and its value, and the value; the first one that matches counts. */
const writings = [
  // name = value, "name": "value", name: string = "value"
  `${type}${blanks}${operator}${blanks}(?:${opening}${scheme}(?<secret>${quoted})${closed}|(?:\\\\?${quote})?${scheme}(?<secret>${bare})${none})`,
  // set("NAME", "value"), secret("value"), name "value"
  `(?:[ \\t]{0,2},[ \\t]{0,2}|\\([ \\t]{0,2}|[ \\t]{1,3})${opening}(?<secret>${quoted})${closed}`,
  // "name": "NAME", "value": "…"; - name: NAME\n  value: …; key="NAME" value="…"
  `[,\\s]{1,24}${quote}?[Vv]alue${quote}?[ \\t]{0,2}[:=][ \\t]{0,2}${quote}?(?<secret>${bare})${none}`,
  // <name>value</name>
  `>\\s{0,40}(?<secret>[^\\s<>"'\`\\\\]{10,256})\\s{0,40}</`,
  // the password is value
  `:? (?:is|was):? (?:\\\\?${quote})?(?<secret>[^\\s"'\`<>\\\\]{9,255}[^\\s"'\`<>\\\\.,;:!?)])`,
];

/** `--name value`. The text before the name distinguishes it from prose. */
const flag = `[ \\t]{1,3}(?<secret>${bare})${none}`;

export const assignment = {
  label: 'SECRET',
  /** Matches from the end of the name on. */
  expression: new RegExp(`${tail}(?:${writings.join('|')})`, 'dy'),
  flagExpression: new RegExp(`${tail}${flag}`, 'dy'),
};

interface Named {
  /** The matched name, one of {@link names}. */
  readonly name: string;
  /** The text before the name, as far as it is known. */
  readonly before: string;
  /** The rest of the name. */
  readonly tail: string;
}

export function isAssigned(secret: string, { name, before, tail: rest }: Named): boolean {
  if (notSecret.test(rest) || publicName.test(before)) return false;
  if (isUuid(secret)) return uuidNames.test(before + name + rest);
  if (/^[_-]?(?:p|db)/i.test(name) && !/key$/i.test(name))
    return isSecretValue(secret) && (hasThreeKinds(secret) || isLongRandom(secret));
  return secret.length >= 16 && isSecretValue(secret);
}

/** The text before a name that is a command-line option. */
export const optionBefore = /(?:^|\s)--[a-z][a-z-]{0,24}$|(?:^|\s)--$/;

/** Names that describe a secret without containing it. */
const notSecret =
  /(?:^|[_.-])(?:ids?|names?|ur[il]s?|types?|files?|paths?|length|size|counts?|limits?|endpoints?|versions?|alias|ttl|prefix)$|(?:Id|Name|Url|Uri|Type|File|Path|Length|Size|Count|Limit|Endpoint|Version)s?$|^(?:izer|ize[ds]?)\b/;
const publicName = /pub(?:lic)?[_-]?$/i;
/** Names whose tokens are UUIDs. */
const uuidNames = /heroku|hubspot|sendbird|squarespace|snyk|messagebird|kucoin|plaid|postmark|_authtoken$/i;

function isLongRandom(value: string): boolean {
  return value.length >= 32 && !isExample(value);
}

function hasThreeKinds(value: string): boolean {
  return [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length >= 3;
}
