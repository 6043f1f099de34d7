import { ApiError, fieldError } from '../../errors.ts'
import { ownRedirectUrls } from '../../links/link-allowlists.ts'
import type { LinkRow, WorkspaceRow } from '../../storage/tables.ts'
import { getStoredSettings } from '../../workspaces/get-stored-settings.ts'

/**
 * Lets a person be sent back only where the workspace or its link said before: to exactly one of the listed URLs, over
 * https. While this service itself runs on loopback, http URLs on loopback are fine too (quality T12).
 *
 * @throws ApiError `redirect_url_not_allowed`
 */
export function assertRedirectUrlAllowed(
  redirectUrl: string,
  policy: WorkspacePolicy | ListPolicy,
  baseUrl: string,
): void {
  if (!isRedirectAllowed(redirectUrl, policy, baseUrl)) throw notAllowed()
}

/** Whose list counts: the link's own, when it has one, else the workspace's. */
export function redirectPolicy<T extends WorkspacePolicy>(
  workspace: T,
  link: Pick<LinkRow, 'redirect_urls'> | undefined,
): T | ListPolicy {
  const listed = link && ownRedirectUrls(link)
  return listed === undefined ? workspace : { listed }
}

/** Whether a person may be sent back there, as checkRedirectUrl says it: lists change while people are away. */
export function isRedirectAllowed(
  redirectUrl: string,
  policy: WorkspacePolicy | ListPolicy,
  baseUrl: string,
): boolean {
  const url = URL.parse(redirectUrl)
  const isDevelopment = isLoopback(URL.parse(baseUrl)?.hostname)
  if (url === null || !isUnambiguous(redirectUrl, url)) return false
  // Without a list to compare with, only the normal form is free of doubt.
  const isAllowedLoopback =
    isDevelopment && isLoopback(url.hostname) && [redirectUrl, `${redirectUrl}/`].includes(url.href)
  if (isAllowedLoopback) return true
  return url.protocol === 'https:' && listedUrls(policy).includes(redirectUrl)
}

function listedUrls(policy: WorkspacePolicy | ListPolicy): readonly string[] {
  if ('listed' in policy) return policy.listed
  return getStoredSettings(policy).allowedRedirectURLs ?? []
}

type WorkspacePolicy = Pick<WorkspaceRow, 'settings'>

/** A list instead of the workspace's, such as a link's own. */
interface ListPolicy {
  readonly listed: readonly string[]
}

/** What a person brings back to `redirectURL`. Only values of ours: never a provider's text. */
export type ReturnParams = Readonly<
  Partial<
    Record<
      | 'success'
      | 'integrationName'
      | 'accountIdentifier'
      | 'integrationAccountId'
      | 'linkId'
      | 'confirmToken'
      | 'error',
      string | null
    >
  >
>

/** The URL to go back to. Its own query stays as it is written, but for names that are ours. */
export function buildReturnUrl(redirectUrl: string, values: ReturnParams): string {
  const url = new URL(redirectUrl)
  const entries = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const parts = url.search === '' ? [] : url.search.slice(1).split('&')
  const otherParts = parts.filter((part) => !isReturnParam(part))
  url.search = [...otherParts, new URLSearchParams(entries).toString()].join('&')
  return url.href
}

/** Whether a part of a query, between two `&`, has a name that is ours. */
function isReturnParam(part: string): boolean {
  const [name] = new URLSearchParams(part).keys()
  return name !== undefined && RETURN_PARAM_NAMES.includes(name)
}

const RETURN_PARAM_NAMES = [
  'success',
  'integrationName',
  'accountIdentifier',
  'integrationAccountId',
  'linkId',
  'confirmToken',
  'error',
]

/** No user, password or fragment, no blanks and no backslashes, which parsers read in different ways. */
function isUnambiguous(redirectUrl: string, url: URL): boolean {
  return (
    /^https?:\/\/[^\s\\#@]+$/.test(redirectUrl) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  )
}

function isLoopback(hostname: string | undefined): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}

function notAllowed(): ApiError {
  const message =
    "Must be exactly one of the allowedRedirectURLs of the workspace, or of the link's redirectURLs when it has its own: https, without user and fragment."
  return new ApiError('redirect_url_not_allowed', `redirectURL: ${message}`, {
    errors: fieldError('redirectURL', 'not_allowed', message),
  })
}
