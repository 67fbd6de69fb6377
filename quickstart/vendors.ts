// The vendors that the quick start calls: those with a key in the environment under its usual name. The simulator
// replaces the others.
import { type VendorName, vendorNames, vendors } from '../common/vendors.ts';
import { accounts } from '../simulator/managed-cloud-models/accounts.ts';

/** A stored provider key in the control plane's form. */
export interface VendorKey {
  readonly secret: Readonly<Record<string, string | undefined>>;
  readonly settings?: Readonly<Record<string, string>>;
}

interface Vendor {
  /** Environment variables with its key. */
  readonly variables: readonly string[];
  /** Undefined if they are not set. */
  keyIn(env: NodeJS.ProcessEnv): VendorKey | undefined;
  readonly simulatedKey: VendorKey;
  /** The path after the simulator's base URL. */
  readonly path: string;
}

export const quickstartVendors: Readonly<Record<VendorName, Vendor>> = {
  'gpt-provider': {
    ...plain('OPENAI_API_KEY'),
    simulatedKey: { secret: { apiKey: 'sk-sim-quickstart-0000000000' } },
    path: '',
  },
  'assistant-provider': {
    ...plain('ANTHROPIC_API_KEY'),
    simulatedKey: { secret: { apiKey: 'sk-ant-sim-quickstart-0000000000' } },
    path: '',
  },
  'search-provider': {
    ...plain('GEMINI_API_KEY'),
    simulatedKey: { secret: { apiKey: 'AIzaSimQuickstart-0000000000' } },
    path: '',
  },
  'studio-ai': {
    variables: ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_ENDPOINT'],
    keyIn: ({ AZURE_OPENAI_API_KEY: apiKey, AZURE_OPENAI_ENDPOINT: endpoint }) =>
      apiKey && endpoint
        ? { secret: { apiKey }, settings: { baseUrl: `${endpoint.replace(/\/$/, '')}/openai/v1` } }
        : undefined,
    simulatedKey: {
      secret: { apiKey: 'sk-sim-quickstart-studio-0000000000' },
      settings: { endpoint: 'simulated' },
    },
    path: '/models',
  },
  'managed-cloud-models': {
    variables: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'],
    keyIn: ({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, ...env }) =>
      accessKeyId && secretAccessKey && env.AWS_REGION
        ? {
            secret: { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined },
            settings: { region: env.AWS_REGION },
          }
        : undefined,
    simulatedKey: {
      secret: {
        accessKeyId: accounts.permanent.accessKeyId,
        secretAccessKey: accounts.permanent.secretAccessKey,
      },
      settings: { region: 'eu-west-1' },
    },
    path: '',
  },
};

/** Vendors that the proxy really calls. */
export function realVendors(env: NodeJS.ProcessEnv): readonly VendorName[] {
  return vendorNames.filter((name) => quickstartVendors[name].keyIn(env) !== undefined);
}

export function vendorKeys(env: NodeJS.ProcessEnv): Readonly<Record<VendorName, VendorKey>> {
  const keys = vendorNames.map((name) => {
    const { keyIn, simulatedKey } = quickstartVendors[name];
    return [name, keyIn(env) ?? simulatedKey] as const;
  });
  return Object.fromEntries(keys) as Record<VendorName, VendorKey>;
}

/** Settings of the proxy by which all other vendors are the simulator. */
export function simulatorSettings(
  env: NodeJS.ProcessEnv,
  simulator: { readonly port: number; readonly baseUrls: Readonly<Record<VendorName, string>> },
): NodeJS.ProcessEnv {
  const real = realVendors(env);
  const urls = vendorNames
    .filter((name) => !real.includes(name))
    .map((name) => {
      const { path } = quickstartVendors[name];
      return [vendors[name].baseUrlSetting, simulator.baseUrls[name] + path];
    });
  const listed = [env.GATEWAY_PRIVATE_UPSTREAMS, `127.0.0.1:${simulator.port}`].filter(Boolean).join(',');
  return { ...Object.fromEntries(urls), GATEWAY_PRIVATE_UPSTREAMS: listed };
}

function plain(variable: string): Pick<Vendor, 'variables' | 'keyIn'> {
  return {
    variables: [variable],
    keyIn: (env) => {
      const apiKey = env[variable];
      return apiKey ? { secret: { apiKey } } : undefined;
    },
  };
}
