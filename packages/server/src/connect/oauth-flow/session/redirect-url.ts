import type { WorkspaceAccess } from '../../../access/auth/caller.ts'
import type { Workspace } from '../../../access/workspaces/workspace.ts'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import type { ReturnPage } from '../../attempts/submission.ts'
import type { Link } from '../../links/link.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession } from './oauth-session.ts'

/**
 * Throws unless the redirect URL is exactly one of the URLs that the workspace or its link lists, with https. While
 * this service itself runs on loopback, any http URL on loopback is allowed too (quality T12).
 *
 * @throws ApiError `redirect_url_not_allowed`
 */
export function assertRedirectUrlAllowed(
  redirectUrl: string,
  owners: RedirectOwners,
  baseUrl: string,
): void {
  if (!isRedirectAllowed(redirectUrl, owners, baseUrl)) throw createNotAllowedError()
}

/** Those whose lists apply: the list of the link if it has one, else the list of the workspace. */
interface RedirectOwners {
  readonly workspace: Pick<Workspace, 'settings'>
  readonly link: Pick<Link, 'redirectUrls'> | undefined
}

/** Whether the redirect URL is allowed, by the rule of `assertRedirectUrlAllowed`. */
export function isRedirectAllowed(
  redirectUrl: string,
  owners: RedirectOwners,
  baseUrl: string,
): boolean {
  const url = URL.parse(redirectUrl)
  const isDevelopment = isLoopback(URL.parse(baseUrl)?.hostname)
  if (url === null || !isUnambiguous(redirectUrl, url)) return false
  // Without a list to compare with, accept the normalized form only: parsers agree on it.
  const isAllowedLoopback =
    isDevelopment && isLoopback(url.hostname) && [redirectUrl, `${redirectUrl}/`].includes(url.href)
  if (isAllowedLoopback) return true
  const { workspace, link } = owners
  const listed =
    link === undefined || link.redirectUrls.length === 0
      ? (workspace.settings.allowedRedirectURLs ?? [])
      : link.redirectUrls
  return url.protocol === 'https:' && listed.includes(redirectUrl)
}

/**
 * The `redirectURL` of the start, if it is still allowed. Checked again, because the URL receives a confirmation token.
 */
export async function getAllowedRedirectUrl(
  deps: Pick<OAuthFlowDeps, 'links' | 'database' | 'baseUrl'>,
  access: WorkspaceAccess,
  session: OAuthSession,
  workspace: Pick<Workspace, 'settings'>,
): Promise<string | undefined> {
  const { redirectUrl, linkId } = session
  if (redirectUrl === null) return undefined
  const link = linkId === null ? undefined : await deps.links.find(access, linkId)
  return isRedirectAllowed(redirectUrl, { workspace, link }, deps.baseUrl())
    ? redirectUrl
    : undefined
}

const RETURN_PARAM_NAMES = [
  'success',
  'integrationName',
  'accountIdentifier',
  'integrationAccountId',
  'linkId',
  'connectSessionId',
  'confirmToken',
  'error',
] as const

/** The query parameters that are added to `redirectURL`. Never contain text of a provider. */
export type ReturnParams = Readonly<
  Partial<Record<(typeof RETURN_PARAM_NAMES)[number], string | null>>
>

/** Adds the parameters to the URL. Keeps the URL's own query unchanged, except for parameters with the same names. */
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

/** Whether `part`, one `name=value` of a query, is a return parameter. */
function isReturnParam(part: string): boolean {
  const [name] = new URLSearchParams(part).keys()
  return RETURN_PARAM_NAMES.some((each) => each === name)
}

/** The URL that a sign-in returns to: the connect page, or the last page of the sign-in window. */
export function buildPageReturnUrl(baseUrl: string, submission: ReturnPage): string {
  const { connectSessionId, linkId } = submission
  const path = connectSessionId === null ? `link/${linkId}` : `connect/${connectSessionId}`
  const linkUrl = `${baseUrl}/${path}`
  const query = new URLSearchParams(submission.returnQuery)
  const params = submission.window === 'page' ? query : pickAppearanceParams(query)
  params.set('attempt', submission.submissionId)
  return submission.window === 'page' ? `${linkUrl}?${params}` : `${linkUrl}/closed?${params}`
}

function pickAppearanceParams(query: URLSearchParams): URLSearchParams {
  const names = ['lang', 'theme']
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}

/** Rejects credentials, fragments, whitespace and backslashes, which parsers interpret in different ways. */
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

function createNotAllowedError(): ApiError {
  const message =
    "Must be exactly one of the workspace's allowedRedirectURLs, or of the link's redirectURLs if it has any: https, without credentials or fragment."
  return new ApiError('redirect_url_not_allowed', `redirectURL: ${message}`, {
    errors: fieldError('redirectURL', 'not_allowed', message),
  })
}
