// The realm that Keycloak imports: the gateway's client as an operator registers it, a second client of the same realm,
// and two people.
import { randomBytes } from 'node:crypto';

export const realmName = 'staff';

export const clientIds = { gateway: 'gateway', other: 'another-program' } as const;

export interface Realm {
  /** By username. */
  readonly passwords: ReadonlyMap<string, string>;
  readonly representation: object;
}

export interface ClientOptions {
  readonly clientSecret: string;
  /** The console's URL. */
  readonly base: string;
  readonly redirectUri: string;
  readonly backchannelLogoutUri: string;
}

/** Keycloak's own export format (RealmRepresentation). */
export function createRealm({ clientSecret, base, redirectUri, backchannelLogoutUri }: ClientOptions): Realm {
  const passwords = new Map(['ada', 'bob'].map((name) => [name, randomBytes(12).toString('base64url')]));
  const client = {
    ...{ protocol: 'openid-connect', standardFlowEnabled: true, directAccessGrantsEnabled: false },
    ...{ publicClient: false, secret: clientSecret, redirectUris: [redirectUri] },
    protocolMappers: [groupsMapper],
  };
  const attributes = {
    'pkce.code.challenge.method': 'S256',
    'post.logout.redirect.uris': base,
    'backchannel.logout.url': backchannelLogoutUri,
    'backchannel.logout.session.required': 'true',
  };
  return {
    passwords,
    representation: {
      ...{ realm: realmName, enabled: true, sslRequired: 'none' },
      clients: [
        { ...client, clientId: clientIds.gateway, attributes },
        { ...client, clientId: clientIds.other },
      ],
      groups: [{ name: 'gateway-admins' }, { name: 'staff' }],
      users: [...passwords].map(([username, password]) => userOf(username, password)),
    },
  };
}

const groupsMapper = {
  ...{ name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper' },
  config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
};

function userOf(username: string, password: string): object {
  return {
    ...{ username, enabled: true, email: `${username}@example.com`, emailVerified: true },
    ...{ firstName: username === 'ada' ? 'Ada' : 'Bob', lastName: 'Example' },
    credentials: [{ type: 'password', value: password, temporary: false }],
    groups: [username === 'ada' ? 'gateway-admins' : 'staff'],
  };
}
