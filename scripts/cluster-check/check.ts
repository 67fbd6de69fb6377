// The type of a check, and helper functions for checks. A check reads the current state of the cluster and throws on a
// problem.
import { isDeepStrictEqual } from 'node:util';
import type { TestPod } from '../../test/support/injection.ts';
import type { Cluster, RunningPod } from './cluster.ts';
import type { CommandOutput, Control } from './control.ts';

export interface Check {
  /** A sentence that is true if it passes. */
  readonly name: string;
  /** @returns figures for the output @throws Error that describes the problem */
  run(cluster: Cluster, scene: Scene): Promise<string | undefined>;
}

/** State that earlier checks leave for later ones. */
export interface Scene {
  /** Running pods of the injector's Deployment. */
  readonly injectors: RunningPod[];
  virtualKey?: string;
}

export function must(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} in place of ${JSON.stringify(expected)}`);
}

export function mustMatch(text: string | undefined, pattern: RegExp, what: string): void {
  if (text === undefined || !pattern.test(text)) throw new Error(`${what}: ${JSON.stringify(text)} is not ${pattern}`);
}

export interface Created {
  /** As stored; undefined if it was refused. */
  readonly pod: (TestPod & { readonly status: { readonly qosClass?: string } }) | undefined;
  readonly warnings: readonly string[];
  /** The reason for the refusal. */
  readonly refusal: string | undefined;
}

export interface PodRequest {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of its single container; `spec` has fields of the pod. */
  readonly container?: object;
  readonly spec?: object;
  /** Default: the pod passes all of admission, but is not stored. */
  readonly isStored?: boolean;
}

/** Creates a pod as any user does. */
export function createPodAt(control: Control, request: PodRequest): Created {
  const { args, input } = creation(request);
  return createdBy(control.run(args, input));
}

/** Like createPodAt, but does not block this process, so that volumes still follow their Secrets. */
export async function startPodAt(control: Control, request: PodRequest): Promise<Created> {
  const { args, input } = creation(request);
  return createdBy(await control.start(args, input));
}

function creation(request: PodRequest): { readonly args: readonly string[]; readonly input: string } {
  const { namespace, labels = {}, annotations = {}, container = {}, spec = {}, isStored = false } = request;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'app-', namespace, labels, annotations },
    spec: { containers: [{ name: 'app', image: 'example/app:1', ...container }], ...spec },
  };
  const dry = isStored ? [] : ['--dry-run=server'];
  return { args: ['create', ...dry, '-o', 'json', '-f', '-'], input: JSON.stringify(pod) };
}

function createdBy({ ok, stdout, stderr }: CommandOutput): Created {
  const lines = stderr.split('\n').filter(Boolean);
  return {
    pod: ok ? JSON.parse(stdout) : undefined,
    warnings: lines.filter((line) => line.startsWith('Warning: ')).map((line) => line.slice('Warning: '.length)),
    refusal: ok ? undefined : lines.filter((line) => !line.startsWith('Warning: ')).join(' '),
  };
}

/** Labels of a namespace whose pods get sidecars. */
export const optedIn = { 'model-gateway.io/inject': 'enabled' } as const;

export function createNamespace(
  control: Control,
  name: string,
  { labels = {}, annotations = {} }: { labels?: object; annotations?: object } = {},
): void {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, annotations } };
  control.kubectl(['create', '-f', '-'], JSON.stringify(object));
  control.kubectl(['-n', name, 'wait', '--for=create', 'serviceaccount/default', '--timeout=30s']);
}

export function createLimitRange(control: Control, namespace: string, limits: readonly object[]): void {
  const metadata = { name: 'limits', namespace };
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits } };
  control.kubectl(['apply', '-f', '-'], JSON.stringify(range));
}

/** Waits until a pod gets a sidecar. */
export function untilInjected(control: Control, request: PodRequest, withinMs?: number): Promise<Created> {
  return eventually(() => {
    const created = createPodAt(control, request);
    must(sidecarIn(created.pod), `${request.namespace}: ${created.refusal ?? 'no sidecar'}`);
    return created;
  }, withinMs);
}

export function sidecarIn(pod: TestPod | undefined) {
  return pod?.spec.initContainers?.find(({ name }) => name === 'model-gateway');
}

/** Repeats until it succeeds; after the time limit it fails with the last error. */
export async function eventually<T>(ask: () => Promise<T> | T, withinMs = 30_000): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - begun > withinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
