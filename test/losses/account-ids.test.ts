// What belongs to a vendor's whole account is for the caller's own key alone: with a stored key, all virtual keys of the
// organization would share it. Every id of the SDKs' types has a row in account-ids.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import { clientFormats } from '../../proxy/client-formats.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { type ClientFormatName, clientFormatNames } from '../../proxy/formats/client-format.ts';
import { allOwnTools, noOwnTools, type OwnToolSettings } from '../../proxy/formats/own-tools.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import { clientCallOf } from '../support/vendor-calls.ts';
import { type AccountField, type IdTable, idTables } from './account-ids.ts';
import { isAbout } from './outcomes.ts';
import { readSdkFields } from './sdk-fields.ts';

/** Names as vendors give them to what has an id. */
const idLike = new RegExp(
  [
    /(?:^|[._[])(?:id|ids|uri|arn|container|thread|conversation|prompt|voice|cachedContent|skills?|tunnel)(?:$|[.[\]])/,
    /_ids?(?:$|[.[])|(?:Ids?|[uU]ri|Arn|Identifier|Location|[a-z]Names?|[dD]ata[sS]tore|Corpus|Corpora)$/,
    /(?:erviceAccount|Secret)$|reference|workspace|profile|bucket|s3/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

let sdk: ReadonlyMap<string, readonly string[]>;
beforeAll(() => {
  sdk = readSdkFields();
});

interface Credential {
  readonly isOwnKey: boolean;
  readonly ownTools: OwnToolSettings;
}

/** What the vendor gets, or the refusal of a field. */
async function sent(name: ClientFormatName, body: object, { isOwnKey, ownTools }: Credential, headers: string[] = []) {
  const { vendor, model } = idTables[name];
  try {
    const call = clientCallOf(vendor, model, { format: clientFormats[name], body, headers });
    const providerKeyId = isOwnKey ? undefined : 'stored';
    const request = await buildRequest({ ...call, target: { ...call.target, providerKeyId, ownTools } });
    return { body: request.body, dropped: request.dropped ?? [], param: undefined };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'unsupported_parameter') throw error;
    return { body: undefined, dropped: [], param: error.param };
  }
}

const storedKeys: readonly Credential[] = [noOwnTools, allOwnTools].map((ownTools) => ({ isOwnKey: false, ownTools }));
const ownKey: Credential = { isOwnKey: true, ownTools: allOwnTools };

/** Whether the row is that of a field, or of what contains it. */
function isRowOf({ path }: AccountField, field: string): boolean {
  return field === path || (field.startsWith(path) && /^[.[]/.test(field.slice(path.length)));
}

describe.each(clientFormatNames)('ids in requests of %s', (name) => {
  const table: IdTable = idTables[name];
  const fields = () => sdk.get(table.sdkType) ?? [];
  const reasons = Object.entries(table.others);

  it('have a row each, in one table', () => {
    const typed = table.account.filter(({ isUntyped }) => isUntyped !== true);
    const rows = (field: string) =>
      Number(typed.some((row) => isRowOf(row, field))) +
      reasons.filter(([, forms]) => forms.some((form) => form.test(field))).length;
    const found = fields().filter((field) => idLike.test(field));
    expect(found.length).toBeGreaterThan(4);
    expect(found.filter((field) => rows(field) !== 1)).toEqual([]);
  });

  it('have no row for a field that the SDK does not know', () => {
    const idle = table.account.filter((row) => row.isUntyped !== true && !fields().some((one) => isRowOf(row, one)));
    expect(idle.map(({ path }) => path)).toEqual([]);
    const forms = reasons.flatMap(([, all]) => all).filter((form) => !fields().some((field) => form.test(field)));
    expect(forms).toEqual([]);
  });

  it.each(table.account.map((row) => [row.path, row] as const))('%s is for the caller’s own key', async (path, row) => {
    for (const credential of storedKeys) {
      const { body, dropped, param } = await sent(name, row.body, credential);
      if (row.isDropped) {
        expect(dropped).toContain(path);
        expect(body).not.toMatch(/(?:msg|resp)_1/);
      } else {
        expect(param, path).toBeDefined();
        expect(isAbout(param ?? '', path) || path.startsWith(param ?? '-'), `${param} is ${path}`).toBe(true);
      }
    }
    const own = await sent(name, row.body, ownKey);
    expect([own.param, own.dropped]).toEqual([undefined, []]);
  });
});

it('a customer of the account, whom a header names, is for the caller’s own key', async () => {
  const body = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
  const profile = ['anthropic-user-profile-id', 'profile_1'];
  for (const credential of storedKeys) {
    expect((await sent('messages', body, credential, profile)).param).toBe(profile[0]);
  }
  expect((await sent('messages', body, ownKey, profile)).param).toBeUndefined();
});
