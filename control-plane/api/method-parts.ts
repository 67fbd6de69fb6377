// The parts that rows of the table of methods share: roles, audiences and effects.
import type { MethodDefinition, services } from '../../proto/load.ts';
import type { Role } from '../../proto/words/access.ts';
import type { Method } from '../services/method.ts';
import * as of from '../services/organization-of.ts';

export const everybody: readonly Role[] = ['owner', 'admin', 'member', 'platform_operator'];
export const managers: readonly Role[] = ['owner', 'admin'];
export const managersAndPlatform: readonly Role[] = ['owner', 'admin', 'platform_operator'];
export const ownersAndPlatform: readonly Role[] = ['owner', 'platform_operator'];
export const withinOrganization: readonly Role[] = ['owner', 'admin', 'member'];
export const platform: readonly Role[] = ['platform_operator'];

export const read = { audience: 'operator', effect: 'read' } as const;
export const sumRead = { ...read, readsSums: true } as const;
export const change = { audience: 'operator', effect: 'change' } as const;
export const planned = { audience: 'operator', effect: 'planned' } as const;
export const trial = { audience: 'operator', effect: 'trial' } as const;
export const download = { audience: 'operator', effect: 'download' } as const;
export const proxy = { audience: 'proxy' } as const;
export const all = { platformReachesAll: true } as const;
/** What gives access that outlives an access token, or takes it from others. */
export const recent = { needsRecentSignIn: () => true } as const;
export const sharedChange = { ...change, roles: managersAndPlatform } as const;
export const managedChange = { ...change, roles: managers } as const;
export const accountChange = { ...change, ...recent, roles: managers } as const;
/** Not of platform operators: it concerns what only the organization may read. */
export const ownerChange = { ...change, ...recent, roles: ['owner'] } as const;
/** Provisioning is by an organization's own issuers. */
export const scimChange = ownerChange;
export const issuerChange = { ...change, ...recent, roles: ownersAndPlatform } as const;
export const ownChange = { ...change, roles: everybody, organization: of.callersOwn } as const;
export const domainChange = { ...change, ...all, ...recent, roles: ownersAndPlatform } as const;
export const suspension = { ...change, ...all, ...recent, roles: platform, organization: of.itself } as const;

type Services = typeof services;
type Declared<T> = {
  [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: T[Key];
};
/** A row for each method of the contract. */
export type Table = {
  [Service in keyof Services]: {
    [Name in keyof Declared<Services[Service]>]: Declared<Services[Service]>[Name] extends MethodDefinition<
      infer _RequestIn,
      infer Response,
      infer Request,
      infer _ResponseOut
    >
      ? Method<Request, Response & object>
      : never;
  };
};
