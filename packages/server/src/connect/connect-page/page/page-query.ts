/** The query parameters of the connect page. Its forms repeat them. */
export interface PageQuery {
  readonly accountIdentifier: string | undefined
  readonly redirectURL: string | undefined
  /** Comma-separated definition keys; only these are offered. */
  readonly integrationKeys: string | undefined
  /** Key of the selected definition. */
  readonly integration: string | undefined
  /** The selected auth type. */
  readonly auth: string | undefined
  readonly lang: string | undefined
  readonly theme: 'light' | 'dark' | undefined
  readonly attempt: string | undefined
  /** The search query. */
  readonly q: string | undefined
  /** Key of the selected category. */
  readonly category: string | undefined
  /** The account that the person reconnects, in a session of the mode `manage`. */
  readonly reconnect?: string | undefined
  /** Whether a connect session gives the identifier and the redirect URL, so that no URL has them. */
  readonly isFixed?: boolean
  /** `connect`: the tools to connect, instead of the accounts of a portal. */
  readonly view?: 'connect' | undefined
  /** The account that a portal asks about before it disconnects it. */
  readonly disconnect?: string | undefined
  /** The account after which the list of a portal continues. */
  readonly after?: string | undefined
}

/** What only the session decides. Refused rather than ignored: an attempt to change it must not look as if it worked. */
export const SESSION_PARAMS = [
  'accountIdentifier',
  'redirectURL',
  'integrationKeys',
  'linkId',
  'connectSessionId',
  'integrationAccountId',
  'workspaceId',
  'maxAccounts',
  'mode',
  'token',
]

/** Parameters that every URL of the page retains. */
export const PERSISTENT_PARAMS = [
  'accountIdentifier',
  'redirectURL',
  'integrationKeys',
  'lang',
  'theme',
] as const satisfies readonly (keyof PageQuery)[]

/** The same for the page of a connect session. */
export const SESSION_PAGE_PARAMS = ['lang', 'theme', 'view', 'reconnect'] as const
