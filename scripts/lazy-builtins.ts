// Plugins of esbuild that let a program's start do without work and modules of Node that it may not need.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Where metafiles say that these modules are. */
export const builtinNamespace = 'builtin';

const builtin = /^node:/;
/** An entry enables the compile cache before it loads any other file of the bundle. */
const entry = /\/main\.ts$/;

/**
 * An `import` of one of Node's modules reads all of its exports, and some of these load or compute what no program uses:
 * Node's own undici, the list of root certificates, Web Crypto. Together they are a sixth of the processor time of a
 * program's start.
 */
export const directBuiltins: Plugin = {
  name: 'direct-builtins',
  setup: (build) => ofBuiltins(build, (path) => `module.exports = process.getBuiltinModule('${path}');`),
};

/**
 * Loads Node's modules when an export of them is first used, for a program that starts for one command and often uses few of
 * them. Each use then costs a call, which the path of requests must not pay. esbuild reads exports of such a module through
 * its prototype.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup: (build) =>
    ofBuiltins(build, (path) =>
      path === 'node:http'
        ? `module.exports = process.getBuiltinModule('${path}');`
        : `module.exports = Object.create(new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] }));`,
    ),
};

function ofBuiltins({ onResolve, onLoad }: Parameters<Plugin['setup']>[0], contentsOf: (path: string) => string): void {
  onResolve({ filter: builtin }, ({ kind, path, importer }) =>
    kind === 'import-statement' && !entry.test(importer) ? { path, namespace: builtinNamespace } : undefined,
  );
  onLoad({ filter: builtin, namespace: builtinNamespace }, ({ path }) => ({ contents: contentsOf(path) }));
}

/** Above this size, JSON is faster to parse as JSON than as code. */
const codeCharactersMax = 10_000;

/** Tables such as the contract and the catalog are parsed as JSON. */
export const parsedJson: Plugin = {
  name: 'parsed-json',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (text.length <= codeCharactersMax) return undefined;
      // Not an ES module, because packages `require` such files too.
      return { contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))});` };
    });
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
