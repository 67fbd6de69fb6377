// Names shared by the injector and pods: annotations, volumes, the scraped port.
import { prefix } from '../common/cluster-names.ts';

/** Results that the injector writes. */
export const injectedAnnotation = `${prefix}injected`;
export const notInjectedAnnotation = `${prefix}not-injected`;

/** The prefix of all volumes of the sidecar; a pod's own volumes must not have it. */
export const volumePrefix = 'model-gateway-';

/** The name of the port of /metrics; pods may choose its number. */
export const adminPortName = 'gateway-admin';
