// An organization's settings in its record, as they are before anybody changes them.
import type { OrganizationRecord } from '../../proxy/access/principal.ts';
import { noRoutes } from '../../proxy/access/routes.ts';
import { noOwnTools } from '../../proxy/formats/own-tools.ts';

export const usualSettings = {
  callerProviderKeys: false,
  hangUp: 'cancel',
  unknownCost: 'hold',
  modelAliases: [],
  ownTools: noOwnTools,
  storedResponses: true,
  backgroundResponses: false,
  safetyIdentifier: false,
  pricedOptions: true,
  recordKeys: undefined,
  routes: noRoutes,
} as const satisfies Partial<OrganizationRecord>;
