// Pods and the injector's patches for them, applied as the API server applies them.
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { type InjectionSettings, inject } from '../../injector/inject.ts';
import { cpuQuantity, memoryQuantity } from '../../injector/quantity.ts';

export function injectionSettings(over: Partial<InjectionSettings> = {}): InjectionSettings {
  return {
    image: 'model-gateway/proxy:0.1.0',
    egressUrl: 'https://egress-gateway.model-gateway.svc:8443',
    egressCa: '-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n',
    controlPlane: 'control-plane.model-gateway.svc:50051',
    modes: ['forward', 'full'],
    resources: {
      cpuRequest: cpuQuantity('50m'),
      cpuLimit: cpuQuantity('1'),
      memoryRequest: memoryQuantity('128Mi'),
      memoryLimit: memoryQuantity('256Mi'),
    },
    ...over,
  };
}

export interface TestContainer {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly [field: string]: unknown;
}

export interface TestPod {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec: {
    readonly containers: readonly TestContainer[];
    readonly initContainers?: readonly TestContainer[];
    readonly volumes?: readonly { readonly name: string; readonly [source: string]: unknown }[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of the pod's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Fields of its one container. */
  readonly container?: Readonly<Record<string, unknown>>;
}

/** A pod with one container, the smallest that Kubernetes accepts. */
export function appPod({ annotations, spec, container }: PodParts = {}): TestPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app', namespace: 'team-a', ...(annotations !== undefined && { annotations }) },
    spec: { containers: [{ name: 'app', image: 'example/app:1', ...container }], ...spec },
  };
}

/** The pod after the patch. */
export function injected(pod: TestPod, settings = injectionSettings()): TestPod {
  return applyPatch(pod, patchOf(pod, settings));
}

export function applyPatch(pod: TestPod, patch: readonly object[]): TestPod {
  return fastJsonPatch.applyPatch(pod, patch as Operation[], true, false).newDocument;
}

export function patchOf(pod: unknown, settings = injectionSettings()) {
  const injection = inject(pod, settings);
  if (injection.outcome === 'refused') throw new Error(`refused: ${injection.message}`);
  return injection.patch;
}

export function warningsOf(pod: unknown, settings = injectionSettings()): readonly string[] {
  const injection = inject(pod, settings);
  if (injection.outcome === 'refused') throw new Error(`refused: ${injection.message}`);
  return injection.warnings;
}

/** The reason of the pod's refusal; throws if it is accepted. */
export function refusalOf(pod: unknown, settings = injectionSettings()): string {
  const injection = inject(pod, settings);
  if (injection.outcome === 'refused') return injection.message;
  throw new Error(`not refused but ${injection.outcome}`);
}

export function sidecarOf(pod: TestPod): TestContainer {
  const [sidecar] = pod.spec.initContainers ?? [];
  if (sidecar?.name !== 'model-gateway') throw new Error('the first init container is not the sidecar');
  return sidecar;
}

/** A pod with these annotations of the injector's, named without their prefix. */
export function annotatedPod(annotations: Readonly<Record<string, string>>): TestPod {
  const named = Object.entries(annotations).map(([name, value]) => [`model-gateway.io/${name}`, value]);
  return appPod({ annotations: Object.fromEntries(named) });
}

/** By name: the value, or its source. */
export function environmentOf(container: TestContainer | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries((container?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

/** The environment that the injector adds to a container that has none of these variables. */
export function pointedAt(port: number): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: 'attached-by-model-gateway',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'attached-by-model-gateway',
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_API_KEY: 'attached-by-model-gateway',
  };
}
