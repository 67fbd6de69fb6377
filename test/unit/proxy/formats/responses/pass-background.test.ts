// `background` in a request for the vendor of the Responses API: it passes only if the response is stored for its owner,
// and somebody settles it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import type { ClientRequest, ClientStore } from '../../../../../proxy/formats/client-format.ts';
import { responsesClients } from '../../../../../proxy/formats/responses/client.ts';
import { type Passing, passResponsesRequest } from '../../../../../proxy/formats/responses/pass-request.ts';

const stored: ClientStore = { ids: new Map() };
const followed: ClientStore = { ...stored, isBackground: true };

function pass(fields: JsonObject, store: ClientStore | undefined, passing: Partial<Passing> = {}): unknown {
  const body = { model: 'gpt-5', input: 'Hello', ...fields };
  const client: ClientRequest = {
    ...{ translation: responsesClients, body, bytes: Buffer.from(JSON.stringify(body)) },
    ...{ path: { model: undefined, stream: undefined }, headers: [], origins: [] },
    losses: { dropped: [], refusal: undefined },
    ...(store && { store }),
  };
  const rights = { isOwnKey: false, ownTools: { egress: false, execution: false } };
  const written = passResponsesRequest(client, {
    ...{ model: 'gpt-5', outputTokens: undefined, isGuarded: false, ...rights, ...passing },
  });
  return JSON.parse(written.body);
}

const refused = expect.objectContaining({ code: 'unsupported_parameter', param: 'background' });

describe('background', () => {
  it('passes if the response is stored and followed', () => {
    expect(pass({ background: true }, followed)).toMatchObject({ background: true });
    expect(pass({ background: true, store: true, stream: true }, followed)).toMatchObject({ background: true });
  });

  it.each<[string, JsonObject, ClientStore | undefined, Partial<Passing>?]>([
    ['nothing is stored', {}, undefined],
    ['the client wants nothing stored', { store: false }, followed],
    ['output guardrails write the response again', {}, followed, { isGuarded: true }],
    ['the organization has not enabled it', {}, stored],
  ])('is refused if %s', (_what, fields, store, passing) => {
    expect(() => pass({ background: true, ...fields }, store, passing)).toThrow(refused);
  });

  it.each(['true', 1, {}])('is refused as %j, whatever the vendor would make of it', (background) => {
    expect(() => pass({ background }, followed)).toThrow(refused);
  });

  it.each([false, null])('changes nothing as %j', (background) => {
    expect(pass({ background }, stored)).toMatchObject({ background });
  });

  it('passes with the caller’s own key', () => {
    expect(pass({ background: true }, undefined, { isOwnKey: true })).toMatchObject({ background: true });
  });
});
