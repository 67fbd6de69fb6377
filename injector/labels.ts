// Names by which the injector and pods know each other: annotations, volumes, the port that is scraped.
import { prefix } from '../common/cluster-names.ts';

/** Results, written by the injector. */
export const injectedAnnotation = `${prefix}injected`;
export const notInjectedAnnotation = `${prefix}not-injected`;

/** Of every volume that the sidecar brings; a pod's own volumes may not begin with it. */
export const volumePrefix = 'model-gateway-';

/** The port that /metrics is scraped from, by name: pods choose its number. */
export const adminPortName = 'gateway-admin';
