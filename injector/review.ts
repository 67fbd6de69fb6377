// AdmissionReview v1, in and out, after https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/.
// What names a uid is answered as a review, so that the API server tells the pod's author why; anything else is refused.
import type { SizesByNamespace } from '../common/hand-over.ts';
import { isObject, type JsonObject, parseJson } from '../common/json.ts';
import { type Injection, type InjectionSettings, inject, type Outcome, type Surroundings } from './inject.ts';
import { cut } from './shown.ts';

const apiVersion = 'admission.k8s.io/v1';
const kind = 'AdmissionReview';

/** A pod of the API server is nested less than twenty deep. */
const depthMax = 64;
const uidLengthMax = 128;
/** What Kubernetes recommends; API servers cut what is longer, and drop what is more than 4,096 together. */
const warningLengthMax = 256;
const warningsMax = 8;

/** No review: the message is one sentence, the status a 4xx of HTTP. */
export class UnreadableReview extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

export interface Reviewed {
  /** An AdmissionReview to send. */
  readonly response: object;
  /** What may be logged of it: names, never values of the pod's environment. */
  readonly about: {
    readonly uid: string;
    readonly namespace: string;
    readonly pod: string;
    readonly dry_run: boolean;
    readonly outcome: Outcome;
    /** Why it was refused, or what its author was told. */
    readonly reported?: readonly string[];
  };
}

export interface ReviewSettings extends InjectionSettings {
  /** Undefined: nothing is known of namespaces. */
  readonly namespaces: SizesByNamespace | undefined;
}

/** Which webhook asks. */
export type ReviewRequest = 'ordinary' | 'for a namespace with an unknown word';

/** @throws UnreadableReview */
export function review(body: string, settings: ReviewSettings, review: ReviewRequest = 'ordinary'): Reviewed {
  const request = readRequest(body);
  const uid = uidOf(request);
  const flaw = flawOf(request);
  const namespace = nameIn(request.namespace);
  const surroundings: Surroundings = {
    sizes: settings.namespaces?.get(namespace),
    unknownWordOf: review === 'ordinary' ? undefined : namespace,
  };
  const injection: Injection =
    flaw === undefined
      ? inject(request.object, settings, surroundings)
      : { outcome: 'refused', message: flaw, wasMarked: false };
  const reported = injection.outcome === 'refused' ? [injection.message] : bounded(injection.warnings);
  return {
    response: { apiVersion, kind, response: { uid, ...responseOf(injection, reported) } },
    about: {
      uid,
      namespace,
      pod: podName(request),
      dry_run: request.dryRun === true,
      outcome: injection.outcome,
      ...(reported.length > 0 && { reported }),
    },
  };
}

function readRequest(body: string): JsonObject {
  if (isTooDeep(body, depthMax))
    throw new UnreadableReview(`the body is nested deeper than ${depthMax} levels`);
  const value = parseJson(body);
  if (!isObject(value)) throw new UnreadableReview('the body is not a JSON object');
  if (value.apiVersion !== apiVersion || value.kind !== kind) {
    throw new UnreadableReview(`the body is not an ${kind} of ${apiVersion}`);
  }
  if (!isObject(value.request)) throw new UnreadableReview('the review has no request');
  return value.request;
}

function uidOf({ uid }: JsonObject): string {
  if (typeof uid === 'string' && uid !== '' && uid.length <= uidLengthMax) return uid;
  throw new UnreadableReview('the request of the review has no uid');
}

/** Why this is not about a pod that is being created: the webhook's configuration is wrong then. */
function flawOf({ operation, resource, subResource, kind, object }: JsonObject): string | undefined {
  const isPods =
    isObject(resource) && resource.group === '' && resource.version === 'v1' && resource.resource === 'pods';
  const isPod = isObject(kind) && kind.group === '' && kind.version === 'v1' && kind.kind === 'Pod';
  if (!isPods || !isPod) return 'the review is not about a v1 Pod; only pods are injected';
  if (subResource !== undefined && subResource !== '')
    return 'the review is about a subresource; only pods are injected';
  if (operation !== 'CREATE') return 'the review is not about a creation; only new pods are injected';
  if (!isObject(object)) return 'the review has no object';
  return undefined;
}

function responseOf(injection: Injection, reported: readonly string[]): object {
  const auditAnnotations = auditOf(injection);
  if (injection.outcome === 'refused') {
    const message = `model-gateway injector: ${injection.message}`;
    return { allowed: false, status: { code: 400, reason: 'BadRequest', message }, auditAnnotations };
  }
  const { patch } = injection;
  return {
    allowed: true,
    ...(patch.length > 0 && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
    ...(reported.length > 0 && { warnings: reported }),
    auditAnnotations,
  };
}

/**
 * Under no name are two values written within one request: API servers refuse to overwrite them, and reinvoke a webhook once.
 * Which of the two invocations this is shows in the marks that the first leaves on a pod. A pod that came with marks of an
 * earlier life is no reinvocation, and neither is a refusal the first of anything there: these have names of their own.
 */
function auditOf(injection: Injection): Readonly<Record<string, string>> {
  const { outcome, wasMarked } = injection;
  switch (outcome) {
    case 'already_injected':
      return { 'outcome-1': outcome };
    case 'injected':
      return { [wasMarked ? 'outcome-anew' : 'outcome-0']: outcome };
    case 'not_injected':
      return { [wasMarked ? 'outcome-1' : 'outcome-0']: outcome };
    case 'refused':
      return { [wasMarked ? 'outcome-last' : 'outcome-0']: outcome };
    // Nobody asks about these but a webhook without conditions, which may meet another wish the second time.
    case 'opted_out':
      return {};
  }
}

function bounded(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - warningsMax;
  const kept =
    more > 0 ? [...warnings.slice(0, warningsMax - 1), `and ${more + 1} more of the kind`] : warnings;
  return kept.map((warning) => cut(warning, warningLengthMax));
}

/** Pods of controllers have no name yet when they are reviewed. */
function podName({ name, object }: JsonObject): string {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {};
  return nameIn(name) || nameIn(metadata.name) || nameIn(metadata.generateName);
}

function nameIn(value: unknown): string {
  return typeof value === 'string' ? cut(value, 253) : '';
}

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)];
const [openings, closings] = [codesOf('[{'), codesOf(']}')];

/** Whether JSON is nested deeper than so many levels, seen before anything parses it. Text that is no JSON is left to the parser. */
export function isTooDeep(json: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = closingQuote(json, at);
    else if (openings.has(code)) depth++;
    else if (closings.has(code)) depth--;
    if (depth > depthMax) return true;
  }
  return false;
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((character) => character.charCodeAt(0)));
}
