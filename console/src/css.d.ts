// Class names of a style sheet, by the name that the sheet gives them.
declare module '*.module.css' {
  const classes: { readonly [name: string]: string };
  // biome-ignore lint/style/noDefaultExport: esbuild gives class names as the default export
  export default classes;
}
declare module '*.css';
