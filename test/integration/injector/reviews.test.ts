// Recorded reviews over real HTTPS: the API server would store a valid pod with the sidecar in it, and a second review
// changes nothing.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPatch, pointedAt, sidecarOf, type TestPod } from '../../support/injection.ts';
import { validateObject } from '../../support/kubernetes-schemas.ts';
import { restrictedViolations } from '../../support/pod-security.ts';
import { type Review, responseIn, reviewOf, startTestInjector, type TestInjector } from '../../support/reviews.ts';

let started: TestInjector;
beforeAll(async () => {
  started = await startTestInjector();
});
afterAll(() => started.close());

async function reviewValue(review: Review) {
  const result = await started.ask(review);
  const response = responseIn(result);
  return { review: result, response, pod: applyPatch(review.request.object, response.patch) };
}

const withObject = (review: Review, object: TestPod): Review => ({
  ...review,
  request: { ...review.request, object },
});

const names = globSync('reviews/*.json', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.json'))
  .sort();
const injectedNames = names.filter((name) => name !== 'opted-out');

describe.each(names)('the review %s', (name) => {
  const review = reviewOf(name);

  it('gets a response in the same version, with the same uid', async () => {
    const { review: result, response } = await reviewValue(review);
    expect(result.body).toMatchObject({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
    expect(response).toMatchObject({ uid: review.request.uid, allowed: true });
  });

  it('gives a pod that is valid by the Kubernetes schema', async () => {
    expect(validateObject(review.request.object)).toEqual([]);
    expect(validateObject((await reviewValue(review)).pod)).toEqual([]);
  });

  it('changes nothing when it is repeated', async () => {
    const { pod } = await reviewValue(review);
    const { response } = await reviewValue(withObject(review, pod));
    expect(response.patch).toEqual([]);
    expect(response).not.toHaveProperty('patchType');
  });

  it('removes nothing, and replaces nothing but the injector’s own annotations', async () => {
    const { pod } = await reviewValue(review);
    expect(pod).toMatchObject(withoutLists(review.request.object));
    for (const before of containersOf(review.request.object)) {
      const after = containersOf(pod).find((container) => container.name === before.name);
      expect({ ...after, env: undefined }).toEqual({ ...before, env: undefined });
      expect(after?.env ?? []).toEqual(expect.arrayContaining([...(before.env ?? [])]));
    }
    expect(pod.spec.volumes ?? []).toEqual(expect.arrayContaining([...(review.request.object.spec.volumes ?? [])]));
  });
});

function containersOf({ spec }: TestPod) {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

function withoutLists({ metadata, spec, ...pod }: TestPod): object {
  const { containers, initContainers, volumes, ...rest } = spec;
  return { ...pod, metadata, spec: rest };
}

describe.each(injectedNames)('the pod of %s', (name) => {
  it('has a sidecar that the restricted Pod Security Standard accepts', async () => {
    const { pod } = await reviewValue(reviewOf(name));
    expect(restrictedViolations(pod.spec, ['model-gateway'])).toEqual([]);
    expect(sidecarOf(pod)).toMatchObject({
      restartPolicy: 'Always',
      securityContext: { readOnlyRootFilesystem: true, runAsUser: 65532 },
      resources: { limits: { cpu: '1' }, requests: { cpu: '50m', memory: '128Mi' } },
    });
  });

  it('has the key and the client certificate in the sidecar alone, and no token of the service account there', async () => {
    const { pod } = await reviewValue(reviewOf(name));
    const mountsOf = (container: object) =>
      (Reflect.get(container, 'volumeMounts') ?? []) as { name: string; mountPath: string }[];
    for (const container of containersOf(pod)) {
      const own = mountsOf(container).filter((mount) => mount.name.startsWith('model-gateway-'));
      expect(own).toHaveLength(container.name === 'model-gateway' ? 3 : 0);
    }
    expect(mountsOf(sidecarOf(pod))).toContainEqual({
      name: 'model-gateway-token',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    });
  });
});

describe('the environment of the app', () => {
  const environmentOf = (pod: TestPod, name: string) =>
    Object.fromEntries(
      (containersOf(pod).find((one) => one.name === name)?.env ?? []).map((one) => [one.name, one.value]),
    );
  const pointed = pointedAt(15_400);

  it.each(['deployment', 'job', 'cron-job', 'stateful-set', 'daemon-set'])(
    'points at the sidecar in a pod of %s',
    async (name) => {
      const { pod, response } = await reviewValue(reviewOf(name));
      expect(environmentOf(pod, 'app')).toEqual(pointed);
      expect(response.warnings).toBeUndefined();
    },
  );

  it('uses the port that the pod chose', async () => {
    const { pod } = await reviewValue(reviewOf('bare-pod'));
    expect(environmentOf(pod, 'shell')).toMatchObject({ OPENAI_BASE_URL: 'http://127.0.0.1:18080/v1' });
    expect(sidecarOf(pod)).toMatchObject({ resources: { limits: { memory: '512Mi' } } });
  });

  it('is set in init containers too, which start after the sidecar', async () => {
    const { pod } = await reviewValue(reviewOf('existing-volumes-and-init-containers'));
    expect(pod.spec.initContainers?.map(({ name }) => name)).toEqual(['model-gateway', 'migrate', 'logs']);
    expect(environmentOf(pod, 'migrate')).toEqual({ ...pointed, STEP: '1' });
    expect(environmentOf(pod, 'logs')).toEqual(pointed);
  });

  it('is unchanged where a container sets it, and the pod’s author gets a warning', async () => {
    const { pod, response } = await reviewValue(reviewOf('existing-environment'));
    const env = containersOf(pod).find(({ name }) => name === 'app')?.env ?? [];
    const ofOthers = Object.keys(pointed).filter((name) => !name.startsWith('OPENAI_'));
    expect(env.map(({ name }) => name)).toEqual([
      ...['OPENAI_BASE_URL', ...ofOthers],
      ...['OPENAI_API_KEY', 'LOG_LEVEL', 'MODELS_URL'],
    ]);
    expect(env.find(({ name }) => name === 'OPENAI_API_KEY')).toHaveProperty('valueFrom');
    const { OPENAI_API_KEY: _absent, ...others } = pointed;
    expect(environmentOf(pod, 'direct')).toEqual({ ...others, OPENAI_BASE_URL: 'https://models.example.com/v1' });
    expect(environmentOf(pod, 'worker')).toEqual(pointed);
    expect(environmentOf(pod, 'metrics')).toEqual({});
    expect(response.warnings).toEqual([
      'container "app" sets OPENAI_API_KEY itself: that key is sent along to the gateway',
      'container "direct" sets OPENAI_BASE_URL itself: its requests do not go through the sidecar',
      'container "worker" has envFrom, which is not seen here: OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY set there are hidden',
    ]);
  });

  it("is added to a container that another webhook added after the sidecar, with that sidecar's port", async () => {
    const { pod, response } = await reviewValue(reviewOf('already-injected-then-another-container'));
    // That sidecar is of a version that used 8080.
    expect(environmentOf(pod, 'mesh')).toEqual(pointedAt(8080));
    expect(JSON.stringify(response.patch)).not.toContain('/spec/initContainers');
    expect(response.auditAnnotations).toEqual({ 'outcome-1': 'already_injected' });
  });
});

describe('a pod whose author opted out', () => {
  it('is allowed unchanged, without a message', async () => {
    const { response } = await reviewValue(reviewOf('opted-out'));
    expect(response).toEqual({
      uid: reviewOf('opted-out').request.uid,
      allowed: true,
      patch: [],
      auditAnnotations: {},
    });
  });
});

describe('the latency of a review', () => {
  it('is a few milliseconds, because every new pod waits for it', async () => {
    const review = reviewOf('deployment');
    const tookMs: number[] = [];
    for (let round = 0; round < 300; round++) {
      const began = performance.now();
      await started.ask(review);
      if (round >= 50) tookMs.push(performance.now() - began);
    }
    tookMs.sort((a, b) => a - b);
    const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? Number.NaN;
    console.log(`review over TLS: median ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms (250 reviews)`);
    expect(at(0.5)).toBeLessThan(50);
  });
});
