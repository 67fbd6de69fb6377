// AdmissionReview v1, request and response, after
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/. A request with a uid gets
// a review as its response, so that the API server shows the pod's author the reason. Everything else is refused by
// status.
import type { SizesByNamespace } from '../common/hand-over.ts';
import { isObject, type JsonObject, parseJson } from '../common/json.ts';
import { type Injection, type InjectionSettings, inject, type Outcome, type Surroundings } from './inject.ts';
import { cut } from './shown.ts';

const apiVersion = 'admission.k8s.io/v1';
const kind = 'AdmissionReview';

/** A pod of the API server has fewer than twenty levels. */
const depthMax = 64;
const uidLengthMax = 128;
/**
 * Kubernetes recommends this length. API servers cut longer warnings, and drop warnings beyond 4,096 characters in
 * total.
 */
const warningLengthMax = 256;
const warningsMax = 8;

/** The request is no review. The message is one sentence, the status an HTTP 4xx. */
export class UnreadableReview extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

export interface Reviewed {
  /** The AdmissionReview to send. */
  readonly response: object;
  /** Fields for the log: names, never values of the pod's environment. */
  readonly about: {
    readonly uid: string;
    readonly namespace: string;
    readonly pod: string;
    readonly dry_run: boolean;
    readonly outcome: Outcome;
    /** The reason for a refusal, or the warnings for the pod's author. */
    readonly told?: readonly string[];
  };
}

export interface ReviewSettings extends InjectionSettings {
  /** Undefined: no information about namespaces. */
  readonly namespaces: SizesByNamespace | undefined;
}

/** Which webhook the API server called. */
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
      ...(reported.length > 0 && { told: reported }),
    },
  };
}

function readRequest(body: string): JsonObject {
  if (isTooDeep(body, depthMax)) throw new UnreadableReview(`the body is nested deeper than ${depthMax} levels`);
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

/** The reason if this is not the creation of a pod; the webhook's configuration is then wrong. */
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
 * Audit annotations of a review. The API server may invoke the webhook twice for one request and refuses to overwrite
 * an annotation, so the two invocations need different names. The first leaves marks on the pod, by which the second is
 * recognized. A pod that arrives with marks of an earlier life is no second invocation, and a refusal of a marked pod
 * can be either; both have names of their own.
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
    // These pods reach only a webhook without match conditions, whose second invocation may find another wish.
    case 'opted_out':
      return {};
  }
}

function bounded(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - warningsMax;
  const kept = more > 0 ? [...warnings.slice(0, warningsMax - 1), `and ${more + 1} more of the kind`] : warnings;
  return kept.map((warning) => cut(warning, warningLengthMax));
}

/** Pods of controllers have no name yet during the review. */
function podName({ name, object }: JsonObject): string {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {};
  return nameIn(name) || nameIn(metadata.name) || nameIn(metadata.generateName);
}

function nameIn(value: unknown): string {
  return typeof value === 'string' ? cut(value, 253) : '';
}

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)];
const [openings, closings] = [codesOf('[{'), codesOf(']}')];

/** Whether JSON has more than this many levels, checked before parsing. The parser rejects text that is not JSON. */
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
