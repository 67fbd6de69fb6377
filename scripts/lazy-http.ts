// A plugin of esbuild. An `import` of node:http reads all of its exports, and one of them loads Node's own undici: a
// fifth of the processor time of a program's start, for a client that no program uses.
import type { Plugin } from 'esbuild';

/** Where metafiles say that this module is. */
export const builtinNamespace = 'builtin';

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
