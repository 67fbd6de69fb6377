// The rows of the table of methods that decide who signs in, and with what.
import * as identities from '../services/identities.ts';
import * as invitations from '../services/invitations.ts';
import * as issuers from '../services/issuers.ts';
import * as operatorTokens from '../services/operator-tokens.ts';
import * as of from '../services/organization-of.ts';
import * as programs from '../services/programs.ts';
import * as scimTokens from '../services/scim-tokens.ts';
import * as serviceAccounts from '../services/service-accounts.ts';
import * as sessions from '../services/sessions.ts';
import * as domains from '../services/sign-in-domains.ts';
import * as signInSettings from '../services/sign-in-settings.ts';
import * as tokenExchange from '../services/token-exchange.ts';
import {
  accountChange,
  all,
  change,
  domainChange,
  everybody,
  issuerChange,
  managers,
  managersAndPlatform,
  ownChange,
  ownersAndPlatform,
  planned,
  read,
  recent,
  scimChange,
  sharedChange,
  type Table,
} from './method-parts.ts';

export const signInMethods = {
  Invitations: {
    Create: { ...sharedChange, ...recent, organization: of.namedOrPlatforms, handle: invitations.create },
    List: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatforms, handle: invitations.list },
    Delete: { ...sharedChange, organization: of.ofRow('invitations'), handle: invitations.remove },
  },
  OperatorTokens: {
    Bootstrap: { audience: 'bootstrap', handle: operatorTokens.bootstrap },
    Create: { ...change, ...recent, roles: everybody, organization: of.ofPerson, handle: operatorTokens.create },
    List: { ...read, roles: everybody, organization: of.ofPerson, handle: operatorTokens.list },
    Revoke: { ...change, roles: everybody, organization: of.ofOperatorToken, handle: operatorTokens.revoke },
  },
  ScimTokens: {
    Create: { ...scimChange, organization: of.ofIssuer, handle: scimTokens.create },
    List: { ...read, roles: managers, organization: of.ofIssuer, handle: scimTokens.list },
    Revoke: { ...scimChange, organization: of.ofScimToken, handle: scimTokens.revoke },
  },
  ServiceAccounts: {
    Create: { ...accountChange, organization: of.named, handle: serviceAccounts.create },
    Get: { ...read, roles: managers, organization: of.ofRow('people'), handle: serviceAccounts.get },
    List: { ...read, roles: managers, organization: of.named, handle: serviceAccounts.list },
    Update: { ...accountChange, organization: of.ofRow('people'), handle: serviceAccounts.update },
    Delete: { ...accountChange, organization: of.ofRow('people'), handle: serviceAccounts.remove },
  },
  Sessions: {
    CreateLink: { ...change, roles: everybody, organization: of.callersOwn, handle: sessions.createLink },
    List: { ...read, roles: everybody, organization: of.namedOrOwn, handle: sessions.list },
    Revoke: { ...change, roles: everybody, organization: of.ofSession, handle: sessions.revoke },
    ApproveProgram: { ...ownChange, needsRecentSignIn: () => true, handle: programs.approveProgram },
    ApproveDevice: {
      ...ownChange,
      needsRecentSignIn: ({ approve }) => approve === true,
      handle: programs.approveDevice,
    },
  },
  SignIn: {
    CreateIssuer: { ...issuerChange, organization: of.namedOrPlatforms, handle: issuers.create },
    GetIssuer: { ...read, roles: managersAndPlatform, organization: of.ofRow('issuers'), handle: issuers.get },
    ListIssuers: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatforms, handle: issuers.list },
    ListIdentities: { ...read, roles: managersAndPlatform, organization: of.ofPerson, handle: identities.list },
    DeleteIdentity: { ...sharedChange, ...recent, organization: of.ofIdentity, handle: identities.remove },
    UpdateIssuer: { ...issuerChange, organization: of.ofRow('issuers'), handle: issuers.update },
    DeleteIssuer: { ...issuerChange, organization: of.ofRow('issuers'), handle: issuers.remove },
    GetSettings: { ...read, ...all, roles: managersAndPlatform, organization: of.named, handle: signInSettings.get },
    UpdateSettings: { ...domainChange, organization: of.named, handle: signInSettings.update },
    AddDomain: { ...domainChange, organization: of.named, handle: domains.add },
    ListDomains: { ...read, ...all, roles: managersAndPlatform, organization: of.named, handle: domains.list },
    CheckDomain: {
      ...{ ...planned, ...all, ...recent, roles: ownersAndPlatform },
      organization: of.ofRow('sign_in_domains'),
      plan: domains.planCheck,
    },
    DeleteDomain: { ...domainChange, organization: of.ofRow('sign_in_domains'), handle: domains.remove },
  },
  Tokens: {
    Exchange: { audience: 'anyone', handle: tokenExchange.exchange },
  },
} satisfies Partial<Table>;
