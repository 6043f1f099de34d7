/** The values that sign-in adds to `config`. */
export interface SignInTokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly token_type: string
  readonly scope?: string
  /** Plain values beside the tokens, by names such as `team.id`. */
  readonly responseParams: Readonly<Record<string, unknown>>
}

/**
 * The tokens in a token response, JSON or a form, at the top level or inside the usual wrappers; undefined if there are
 * none.
 */
export function parseTokenResponse(body: string): SignInTokens | undefined {
  const fields = parse(body)
  const candidates = [fields, ...WRAPPERS.map((name) => asObject(fields[name]))]
  const source = candidates.find((each) => text(each, 'access_token'))
  const access_token = text(source, 'access_token')
  if (source === undefined || access_token === undefined) return undefined
  const refresh_token = text(source, 'refresh_token')
  const scope = [source.scope ?? source.scopes ?? []].flat().join(' ')
  return {
    access_token,
    token_type: text(source, 'token_type') ?? 'bearer',
    ...(refresh_token && { refresh_token }),
    ...(scope && { scope }),
    responseParams: {
      ...plainValues(source === fields ? {} : withoutWrappers(fields)),
      ...plainValues(source),
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const PLAIN_TYPES = new Set(['string', 'number', 'boolean'])
const WRAPPERS = ['authed_user', 'data', 'result', 'response', 'token', 'tokens']
const EXCLUDED_NAMES =
  /token|secret|password|assertion|jwt|api_?key|(?:^|\.)(?:scopes?|expires_?(?:in|at)?|ok|state|success)$/i

function parse(body: string): Fields {
  try {
    return asObject(JSON.parse(body)) ?? {}
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined
}

function text(fields: Fields | undefined, name: string): string | undefined {
  const camel = name.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())
  const value = fields?.[name] ?? fields?.[camel]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function withoutWrappers(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !WRAPPERS.includes(name)))
}

function plainValues(fields: Fields): Fields {
  const flat = Object.entries(fields).flatMap(([name, value]) => {
    const inner = asObject(value)
    if (inner === undefined) return [[name, value] as const]
    return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each] as const)
  })
  return Object.fromEntries(
    flat.filter(([name, value]) => !EXCLUDED_NAMES.test(name) && PLAIN_TYPES.has(typeof value)),
  )
}
