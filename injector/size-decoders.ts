// The four sizes of a sidecar as annotations of pods and namespaces.
import { type SizeName, sizeNames } from '../common/cluster-names.ts';
import type { Setting } from '../common/settings.ts';
import { cpuQuantity, memoryQuantity, type Quantity } from './quantity.ts';

export const sizeDecoders = {
  cpuRequest: {
    name: sizeNames.cpuRequest,
    about: 'Processor time that the sidecar requests. Also of the namespace, for pods without it.',
    decode: cpuQuantity,
    defaultText: 'the namespace’s, else GATEWAY_INJECTOR_CPU_REQUEST',
  },
  cpuLimit: {
    name: sizeNames.cpuLimit,
    about: 'Processor time that the sidecar gets at most. Also of the namespace.',
    decode: cpuQuantity,
    defaultText: 'the namespace’s, else GATEWAY_INJECTOR_CPU_LIMIT',
  },
  memoryRequest: {
    name: sizeNames.memoryRequest,
    about: 'Memory that the sidecar requests. Also of the namespace.',
    decode: memoryQuantity,
    defaultText: 'the namespace’s, else GATEWAY_INJECTOR_MEMORY_REQUEST',
  },
  memoryLimit: {
    name: sizeNames.memoryLimit,
    about: 'Memory that the sidecar gets at most. Also of the namespace.',
    decode: memoryQuantity,
    defaultText: 'the namespace’s, else GATEWAY_INJECTOR_MEMORY_LIMIT',
  },
} as const satisfies Record<SizeName, Setting<Quantity>>;
