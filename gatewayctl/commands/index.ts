// All commands, in the order of help.
import type { Tree } from '../command.ts';
import { complete, completion, help, status, version } from './about-itself.ts';
import { audit } from './audit.ts';
import { budgets, unconfirmed } from './budgets.ts';
import { captures } from './captures.ts';
import { catalog } from './catalog.ts';
import { chat } from './chat.ts';
import { contexts } from './contexts.ts';
import { doctor } from './doctor.ts';
import { domains, signIn } from './domains.ts';
import { guardrails } from './guardrails.ts';
import { invitations } from './invitations.ts';
import { issuers } from './issuers.ts';
import { keys } from './keys.ts';
import { limits } from './limits.ts';
import { bootstrap, login, logout, whoami } from './login.ts';
import { models } from './models.ts';
import { organizations } from './organizations.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';
import { prices } from './prices.ts';
import { providerKeys } from './provider-keys.ts';
import { providers } from './providers.ts';
import { reconcile } from './reconcile.ts';
import { requests } from './requests.ts';
import { routes } from './routes.ts';
import { run } from './run.ts';
import { scimTokens } from './scim-tokens.ts';
import { serviceAccounts } from './service-accounts.ts';
import { console, sessions } from './sessions.ts';
import { settings } from './settings.ts';
import { stops } from './stops.ts';
import { systems } from './systems.ts';
import { operatorTokens, proxyTokens } from './tokens.ts';
import { usage } from './usage.ts';
import { webhooks } from './webhooks.ts';

export const tree: Tree = {
  resources: [
    ...[organizations, people, systems, keys, providerKeys, providers, routes, settings, limits, budgets, unconfirmed],
    ...[models, prices, catalog, guardrails, stops, usage, requests, captures, reconcile, audit, webhooks],
    ...[
      operatorTokens,
      serviceAccounts,
      proxyTokens,
      issuers,
      domains,
      signIn,
      scimTokens,
      invitations,
      sessions,
      contexts,
    ],
  ],
  commands: {
    login,
    logout,
    whoami,
    bootstrap,
    console,
    run,
    chat,
    overview,
    status,
    doctor,
    version,
    completion,
    complete,
    help,
  },
};
