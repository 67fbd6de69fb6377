// The proxy that the playground calls, as the control plane wrote it into the page.

/** Without a slash at its end; empty: there is no playground. */
export const playgroundUrl =
  document.querySelector<HTMLMetaElement>('meta[name="gateway-playground"]')?.content.replace(/\/$/, '') ?? '';
