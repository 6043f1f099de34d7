import type {
  LinkEventMeta,
  LinkEventName,
  LinkExit,
  LinkedAccount,
  LinkFailure,
} from './messages.ts'

/** What to open, and the callbacks. */
export interface OpenLinkOptions {
  /** The URL of Linchpin, such as `https://connect.example.com`. */
  readonly baseURL: string
  /** The token of a connect session, which decides everything else about the accounts. Instead of `linkId`. */
  readonly token?: string | undefined
  readonly linkId?: string | undefined
  /** Your identifier of the account's owner. */
  readonly accountIdentifier?: string | undefined
  /** The key of the integration to open directly. */
  readonly integration?: string | undefined
  /** Comma-separated keys of integrations: only these are offered. */
  readonly integrationKeys?: string | undefined
  /** The redirect URL after sign-in if no window can be opened; one that the workspace allows. */
  readonly redirectURL?: string | undefined
  /** A language of the connect page, such as `de`. Default: the browser's. */
  readonly lang?: string | undefined
  /** Default: the system's. */
  readonly theme?: 'dark' | 'light' | 'system' | undefined
  /** An element that contains the page, instead of a dialog over yours. */
  readonly container?: HTMLElement | undefined
  /** The accessible name of the dialog and the frame. */
  readonly title?: string | undefined
  /** The nonce of your `style-src` policy; only required by browsers without constructable style sheets. */
  readonly cspNonce?: string | undefined
  /** The page is shown. */
  readonly onReady?: (() => void) | undefined
  /** An account was connected. More may follow in the same session. */
  readonly onSuccess?: ((account: LinkedAccount) => void) | undefined
  readonly onError?: ((failure: LinkFailure) => void) | undefined
  /** The session has ended and everything is removed. */
  readonly onExit?: ((exit: LinkExit) => void) | undefined
  readonly onEvent?: ((name: LinkEventName, meta: LinkEventMeta) => void) | undefined
}

/** An open page. */
export interface LinkHandle {
  /** Ends the session as if the user had closed it: `onExit` runs, with the reason `host`. */
  close(): void
  /** Removes everything at once, without running callbacks. */
  destroy(): void
  /** Resolves with the last connected account once the session has ended; never rejects. */
  readonly result: Promise<{ readonly account?: LinkedAccount }>
}

/**
 * The URL of the frame. Values that only this page may know are in the fragment, which is not sent to servers.
 *
 * @throws TypeError when `baseURL` is not an http(s) URL, or not exactly one of `token` and `linkId` is
 * given, or `token` together with an option that the session decides
 */
export function buildFrameUrl(options: OpenLinkOptions, session: string): URL {
  const { baseURL, theme } = options
  // Scripts without types can pass anything.
  const path = getFramePath(options)
  if (!baseURL) throw new TypeError('baseURL is missing: pass the https URL of your Linchpin')
  const base = new URL(baseURL.endsWith('/') ? baseURL : `${baseURL}/`, location.href)
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError('baseURL must be the https URL of your Linchpin')
  const url = new URL(path, base)
  const query = {
    accountIdentifier: options.accountIdentifier,
    redirectURL: options.redirectURL,
    integrationKeys: options.integrationKeys,
    integration: options.integration,
    lang: options.lang,
    theme: theme === 'system' ? undefined : theme,
  }
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, value)
  url.hash = new URLSearchParams({ session, origin: location.origin }).toString()
  return url
}

function getFramePath({ token, linkId, ...options }: OpenLinkOptions): string {
  if (!token) {
    if (!linkId) throw new TypeError('linkId or token is missing')
    return `link/frame/${encodeURIComponent(linkId)}`
  }
  const others = [linkId, options.accountIdentifier, options.redirectURL, options.integrationKeys]
  if (others.some((value) => value !== undefined && value !== ''))
    throw new TypeError(
      'a token takes no linkId, accountIdentifier, redirectURL or integrationKeys: the session decides them',
    )
  return `connect/frame/${encodeURIComponent(token)}`
}
