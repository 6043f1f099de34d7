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
  readonly linkId: string
  /** Your identifier of the account's owner. */
  readonly accountIdentifier?: string | undefined
  /** The key of the integration to open directly. */
  readonly integration?: string | undefined
  /** Comma-separated keys of integrations: only these are offered. */
  readonly integrationKeys?: string | undefined
  /** The redirect URL after sign-in if no window can be opened; one that the workspace allows. */
  readonly redirectURL?: string | undefined
  /** `en`, `de`, `fr`, `es`, `it`, `pt`, `ja` or `ar`. Default: the browser's. */
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
 * @throws TypeError when `baseURL` is not an http(s) URL, or `linkId` is missing
 */
export function buildFrameUrl(options: OpenLinkOptions, session: string): URL {
  const { baseURL, linkId, theme } = options
  // Scripts without types can pass anything.
  if (!linkId) throw new TypeError('linkId is missing')
  if (!baseURL) throw new TypeError('baseURL is missing: pass the https URL of your Linchpin')
  const base = new URL(baseURL.endsWith('/') ? baseURL : `${baseURL}/`, location.href)
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError('baseURL must be the https URL of your Linchpin')
  const url = new URL(`link/frame/${encodeURIComponent(linkId)}`, base)
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
