// Plugins of esbuild that let a program's start do without modules of Node that it may not need.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Where metafiles say that these modules are. */
export const builtinNamespace = 'builtin';

/**
 * An `import` of node:http reads all of its exports, and one of them loads Node's own undici: a fifth of the processor time
 * of a program's start, for a client that no program uses.
 */
export const lazyHttp: Plugin = {
  name: 'lazy-http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: builtinNamespace } : undefined,
    );
    onLoad({ filter: /^node:http$/, namespace: builtinNamespace }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http');",
    }));
  },
};

const builtin = /^node:/;
/** The entry enables the compile cache with the first; the other has a plugin of its own. */
const apart: readonly string[] = ['node:module', 'node:http'];
const contract = /\/proto\/generated\/contract\.json$/;

/**
 * Loads Node's modules when an export of them is first used, for a program that starts for one command and often uses few of
 * them: an `import` would read all exports of each. esbuild reads exports of such a module through its prototype. The
 * contract is parsed as JSON, which is faster than as code.
 */
export const quickStart: Plugin = {
  name: 'quick-start',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: builtin }, ({ kind, path }) =>
      kind === 'import-statement' && !apart.includes(path) ? { path, namespace: builtinNamespace } : undefined,
    );
    onLoad({ filter: builtin, namespace: builtinNamespace }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] }));`,
    }));
    onLoad({ filter: contract }, ({ path }) => ({
      contents: `export default JSON.parse(${JSON.stringify(readFileSync(path, 'utf8'))});`,
    }));
  },
};

/**
 * gRPC's library checks each address with the expression for IPv6 of node:net, whose first use costs 9 ms of processor time.
 * A text without a colon is no such address.
 */
export const quickAddresses: Plugin = {
  name: 'quick-addresses',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^net$/ }, ({ importer }) =>
      importer.includes('/@grpc/grpc-js/') ? { path: 'quick-net', namespace: builtinNamespace } : undefined,
    );
    onLoad({ filter: /^quick-net$/, namespace: builtinNamespace }, () => ({
      contents: `
        const net = process.getBuiltinModule('node:net');
        const isIPv6 = (text) => String(text).includes(':') && net.isIPv6(text);
        module.exports = Object.create(net, { isIPv6: { value: isIPv6 } });`,
    }));
  },
};
