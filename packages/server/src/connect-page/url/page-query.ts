import { chooseTheme } from '../../ui/theme.ts'

/** What stands in the address of the connect page, and again in its forms. */
export interface PageQuery {
  readonly accountIdentifier: string | undefined
  readonly redirectURL: string | undefined
  /** Keys of definitions, comma-separated: only these are shown. */
  readonly integrationKeys: string | undefined
  /** The key of the definition that is open. */
  readonly integration: string | undefined
  /** The auth type that is open. */
  readonly auth: string | undefined
  readonly lang: string | undefined
  readonly theme: 'light' | 'dark' | undefined
  readonly attempt: string | undefined
  /** What is searched for. */
  readonly q: string | undefined
  /** The key of the category that is shown. */
  readonly category: string | undefined
}

/**
 * Reads an address as tolerantly as old embeddings need: names that are not ours are passed over, of a repeated name the
 * first counts, a value that is no text or far too long counts as not given. Undefined when the identifier is such a value,
 * or holds control characters, which no form sends back as they were: what is connected must never go to nobody, or to
 * somebody else.
 */
export function parsePageQuery(searchParams: URLSearchParams): PageQuery | undefined {
  const text = (name: string, maxLength: number) => {
    const value = searchParams.get(name)
    return value !== null && value !== '' && isText(value, maxLength) ? value : undefined
  }
  const accountIdentifier = text('accountIdentifier', 255)
  if (accountIdentifier === undefined && (searchParams.get('accountIdentifier') ?? '') !== '')
    return undefined
  if (/\p{Cc}/u.test(accountIdentifier ?? '')) return undefined
  const submissionId = text('attempt', 22)
  return {
    accountIdentifier,
    // Whatever is no address is refused by name where addresses are judged.
    redirectURL: searchParams.get('redirectURL') || undefined,
    integrationKeys: text('integrationKeys', 2_000),
    integration: text('integration', 200),
    auth: text('auth', 100),
    lang: text('lang', 35),
    theme: chooseTheme(searchParams.get('theme')),
    attempt: submissionId !== undefined && isSubmissionId(submissionId) ? submissionId : undefined,
    q: text('q', 100),
    category: text('category', 100),
  }
}

/** Whether a text has the form of the id that a form carries: 128 bits in base64url. */
export function isSubmissionId(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text)
}

/** What stays in the address through all states of the page. */
export const PERSISTENT_PARAMS = [
  'accountIdentifier',
  'redirectURL',
  'integrationKeys',
  'lang',
  'theme',
] as const satisfies readonly (keyof PageQuery)[]

/** The query of an address within the page: what lasts, and what this place adds. */
export function serializePageQuery(query: PageQuery, additions: Partial<PageQuery> = {}): string {
  const params = new URLSearchParams()
  for (const name of PERSISTENT_PARAMS) {
    const value = query[name]
    if (value !== undefined) params.set(name, value)
  }
  for (const [name, value] of Object.entries(additions))
    if (value !== undefined) params.set(name, value)
  return params.toString()
}

/**
 * What a form says of its page. It stands in the address that the form goes to, and so exactly as it came; the fields are
 * read for forms that were drawn before an upgrade. What else stands in a form is no part of that address.
 */
export function formQuery(
  urlParams: URLSearchParams,
  formParams: URLSearchParams,
): URLSearchParams {
  // Maps, since `get` and `set` of URLSearchParams walk all of it for each name. Of a repeated name the first value counts.
  const merged = new Map([...formParams].reverse())
  for (const name of ['attempt', 'category', 'q']) merged.delete(name)
  for (const [name, value] of new Map([...urlParams].reverse())) merged.set(name, value)
  merged.delete('attempt')
  return new URLSearchParams([...merged])
}

function isText(value: string, maxLength: number): boolean {
  return value.length <= maxLength && value.isWellFormed() && !/[\0\ufffd]/.test(value)
}
