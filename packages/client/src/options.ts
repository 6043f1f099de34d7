import type {
  LinkEventMeta,
  LinkEventName,
  LinkExit,
  LinkedAccount,
  LinkFailure,
} from './messages.ts'

/** What to open, where, and whom to tell. */
export interface OpenLinkOptions {
  /** Where Linchpin is, such as `https://connect.example.com`. */
  readonly baseURL: string
  readonly linkId: string
  /** Who the account is for, in your own words. */
  readonly accountIdentifier?: string | undefined
  /** The key of the integration to open at once. */
  readonly integration?: string | undefined
  /** Keys of integrations, comma-separated: only these are offered. */
  readonly integrationKeys?: string | undefined
  /** Where sign-in leads back to where no window can be opened; one of those that the workspace allows. */
  readonly redirectURL?: string | undefined
  /** `en`, `de`, `fr`, `es`, `ja` or `ar`. Default: the browser's. */
  readonly lang?: string | undefined
  /** Default: the system's. */
  readonly theme?: 'dark' | 'light' | 'system' | undefined
  /** An element that holds the page, instead of a dialog over yours. */
  readonly container?: HTMLElement | undefined
  /** What the dialog and the frame are called for those who do not see them. */
  readonly title?: string | undefined
  /** The nonce of your policy's `style-src`; only browsers without constructable style sheets need it. */
  readonly cspNonce?: string | undefined
  /** The page is shown. */
  readonly onReady?: (() => void) | undefined
  /** An account was connected. More may follow in the same visit. */
  readonly onSuccess?: ((account: LinkedAccount) => void) | undefined
  readonly onError?: ((failure: LinkFailure) => void) | undefined
  /** The visit is over and everything is removed. */
  readonly onExit?: ((exit: LinkExit) => void) | undefined
  readonly onEvent?: ((name: LinkEventName, meta: LinkEventMeta) => void) | undefined
}

/** A page that is open. */
export interface LinkHandle {
  /** Ends the visit as if the person had: `onExit` runs, with the reason `host`. */
  close(): void
  /** Removes everything at once; no callback runs any more. */
  destroy(): void
  /** The account that was connected last, once the visit is over; never rejects. */
  readonly result: Promise<{ readonly account?: LinkedAccount }>
}
