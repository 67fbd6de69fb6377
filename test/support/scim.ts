// A client of SCIM as issuers are: requests with a token, below /scim/v2/.
import {
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  type TestTenant,
} from './operators.ts';

export interface ScimResponse {
  readonly status: number;
  readonly json: JsonResponse;
  readonly etag: string;
  readonly headers: Headers;
}

export interface ScimClient {
  readonly token: string;
  readonly issuerId: string;
  /** @param method such as "GET" @param path such as "/Users" */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ScimResponse>;
  /** Creates a user. @returns it */
  user(fields?: object): Promise<JsonResponse>;
  patch(path: string, ...operations: readonly object[]): Promise<ScimResponse>;
}

export const scimUser = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const scimGroup = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** An issuer of the organization, with a token. @param fields of the issuer */
export async function createScimClient(
  plane: OperatorsPlane,
  tenant: TestTenant,
  fields: object = {},
): Promise<ScimClient> {
  const issuer = await plane.expect('SignIn.CreateIssuer', tenant.owner.token, {
    ...{ organizationId: tenant.id, name: freshName('issuer'), url: 'https://login.example.com', clientId: 'gateway' },
    ...fields,
  });
  const made = await plane.expect('ScimTokens.Create', tenant.owner.token, { issuerId: issuer.id, name: 'test' });
  return scimClient(plane.plane.httpPort, made.value, issuer.id);
}

export function scimClient(port: number, token: string, issuerId = ''): ScimClient {
  const send: ScimClient['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const etag = response.headers.get('etag') ?? '';
    return {
      status: response.status,
      json: text === '' ? undefined : JSON.parse(text),
      etag,
      headers: response.headers,
    };
  };
  return {
    ...{ token, issuerId, send },
    user: async (fields = {}) => {
      const userName = `${freshName('user').replace(' ', '')}@example.com`;
      const { status, json } = await send('POST', '/Users', { schemas: [scimUser], userName, ...fields });
      if (status !== 201) throw new Error(JSON.stringify(json));
      return json;
    },
    patch: (path, ...operations) =>
      send('PATCH', path, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: operations,
      }),
  };
}

/** The person of the organization with this name, as an owner sees them. */
export async function personNamed(plane: OperatorsPlane, tenant: TestTenant, name: string): Promise<JsonResponse> {
  const { people } = await plane.expect('People.List', tenant.owner.token, {
    organizationId: tenant.id,
    pageSize: 500,
  });
  return people.find((person: JsonResponse) => person.name === name);
}

export async function scimTenant(plane: OperatorsPlane, platform: Someone, fields?: object) {
  const tenant = await createTenant(plane, platform, freshName('tenant'));
  return { tenant, scim: await createScimClient(plane, tenant, fields) };
}
