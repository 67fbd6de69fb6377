// What the address says when the page is opened: a link or an invitation in its fragment, which no server gets, an error
// of an issuer's callback, and the organization of the sign-in page. The first three are removed from the address before
// anything else.

export interface Arrival {
  readonly link: string | undefined;
  readonly invitation: string | undefined;
  /** The organization of `o/<slug>`; empty for none. */
  readonly organization: string;
  /** The page's path below the console's, to return to after the sign-in. */
  readonly path: string;
}

let error: string | undefined;

export function arrive(): Arrival {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const search = new URLSearchParams(location.search);
  const [link, invitation] = [fragment.get('link') ?? undefined, fragment.get('invitation') ?? undefined];
  error = search.get('error') ?? undefined;
  search.delete('error');
  if (link !== undefined || invitation !== undefined || error !== undefined) {
    const rest = search.toString();
    history.replaceState(null, '', `${location.pathname}${rest === '' ? '' : `?${rest}`}`);
  }
  return { link, invitation, ...here() };
}

/** The place of the address among the console's paths. */
export function here(): Pick<Arrival, 'organization' | 'path'> {
  const path = location.pathname.slice(new URL(document.baseURI).pathname.length);
  const [, organization = ''] = /^o\/([a-z0-9-]+)\/?$/.exec(path) ?? [];
  return { organization, path: organization === '' ? path : '' };
}

/** Shown to somebody who is signed in by now. @param code of `wordsFor` */
export function noteArrival(code: string): void {
  error = code;
}

/** The code of the callback's error, until it was dismissed. */
export function arrivalError(): string | undefined {
  return error;
}

export function dismissArrivalError(): void {
  error = undefined;
}

/** What happened, and what to do about it. Codes come with the address, so an unknown one is not shown. */
export function wordsFor(code: string): { readonly title: string; readonly advice: string } {
  switch (code) {
    case 'sign_in_refused':
      return {
        title: 'The sign-in was refused.',
        advice:
          'Either it took longer than ten minutes or was begun in another browser: then try again. Or nobody has given your account access: then ask an owner of your organization for an invitation.',
      };
    case 'issuer_unavailable':
      return {
        title: 'The sign-in service does not respond.',
        advice: 'Try again in a minute. If it stays so, an owner of your organization can check its settings.',
      };
    case 'too_many_requests':
      return { title: 'There were too many attempts from your address.', advice: 'Wait a minute, then try again.' };
    case 'tls_required':
      return {
        title: 'People sign in over https, or on the machine of the gateway.',
        advice: 'Open the https address of the console.',
      };
    case 'other_person':
      return {
        title: 'Another person has signed in with this browser.',
        advice: 'What the person before had begun was not done. If this is not you, sign out.',
      };
    default:
      return { title: 'The sign-in did not work.', advice: 'Try again.' };
  }
}
