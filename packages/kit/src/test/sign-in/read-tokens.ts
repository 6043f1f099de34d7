/** What sign-in adds to `config`. */
export interface SignedIn {
  readonly access_token: string
  readonly refresh_token?: string
  readonly token_type: string
  readonly scope?: string
  /** Plain values beside the tokens, by names such as `team.id`. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** The tokens of a token answer, JSON or a form, at the top or inside the usual wrappers; undefined when there are none. */
export function readTokens(body: string): SignedIn | undefined {
  const fields = parse(body)
  const places = [fields, ...WRAPPERS.map((name) => asObject(fields[name]))]
  const place = places.find((each) => text(each, 'access_token'))
  const access_token = text(place, 'access_token')
  if (place === undefined || access_token === undefined) return undefined
  const refresh_token = text(place, 'refresh_token')
  const scope = [place.scope ?? place.scopes ?? []].flat().join(' ')
  return {
    access_token,
    token_type: text(place, 'token_type') ?? 'bearer',
    ...(refresh_token && { refresh_token }),
    ...(scope && { scope }),
    facts: { ...factsOf(place === fields ? {} : withoutWrappers(fields)), ...factsOf(place) },
  }
}

type Fields = Readonly<Record<string, unknown>>

const PLAIN = new Set(['string', 'number', 'boolean'])
const WRAPPERS = ['authed_user', 'data', 'result', 'response', 'token', 'tokens']
const NO_FACT =
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

function factsOf(fields: Fields): Fields {
  const flat = Object.entries(fields).flatMap(([name, value]) => {
    const inner = asObject(value)
    if (inner === undefined) return [[name, value] as const]
    return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each] as const)
  })
  return Object.fromEntries(
    flat.filter(([name, value]) => !NO_FACT.test(name) && PLAIN.has(typeof value)),
  )
}
