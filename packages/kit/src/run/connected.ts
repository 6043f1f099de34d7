import type { Definition } from '../definition.ts'
import { CheckFailure } from '../spec/check-failure.ts'
import type { CheckResult } from '../spec/check-rules.ts'
import type { Connected, DeclaredFact, Fact, FactCondition } from '../spec/facts.ts'
import { getByPath } from '../values/get-by-path.ts'
import { readBody } from '../values/read-body.ts'
import { readFirst, sendDeclared } from './commands.ts'
import { LoginRejected, matchesExpected, type RunContext } from './create-context.ts'
import { getFacts } from './get-auth-method.ts'

/**
 * CONNECTED: the facts of a connection, in the order of their declaration. A check result if a request for one fails.
 *
 * @throws Error only for errors in the integration
 */
export async function runConnected(
  definition: Definition,
  context: RunContext,
): Promise<Connected | CheckResult> {
  const declared = getFacts(definition, context.authType)
  const { facts = {}, choices = {} } = (await definition.connected?.(context as never)) ?? {}
  const found: Required<Connected> = { facts: { ...facts }, choices: { ...choices } }
  const responses = new Map<string, unknown>()
  try {
    for (const fact of declared) {
      if (fact.path === undefined && fact.claim === undefined) continue
      const source =
        fact.claim === undefined
          ? await fetchSource(fact, context, responses)
          : findClaim(context.config, fact.claim)
      if (source === undefined) continue
      addFact(fact, source, found)
    }
    return found
  } catch (error) {
    if (error instanceof LoginRejected) return context.checkResponse(error.response)
    if (error instanceof RequestFailed) return error.result
    if (!(error instanceof CheckFailure)) throw error
    return context.refuse(error.code, { ...error, error: error.message })
  }
}

/** At most so many items of a list are read, and so many characters of a text. */
const MAX_ITEMS = 500
const MAX_LENGTH = 500

class RequestFailed extends Error {
  readonly result: CheckResult

  constructor(result: CheckResult) {
    super('The request failed.')
    this.result = result
  }
}

/** The body of the response, requested once for all facts that read the same. */
async function fetchSource(
  fact: DeclaredFact,
  context: RunContext,
  responses: Map<string, unknown>,
): Promise<unknown> {
  const { path, method, query, headers, body, form, list } = fact
  const key = JSON.stringify([path, method, query, headers, body, form])
  if (!responses.has(key)) {
    const response = await sendDeclared(fact, context)
    if (!response.ok) throw new RequestFailed(await context.checkResponse(response))
    responses.set(key, await readBody(response))
  }
  const found = responses.get(key)
  if (list !== undefined && !Array.isArray(getByPath(found, list)))
    throw new RequestFailed(context.refuse('unexpected_answer'))
  return found
}

function addFact(
  declared: DeclaredFact,
  source: unknown,
  found: { facts: Record<string, Fact>; choices: Record<string, readonly Fact[]> },
): void {
  const { name, list } = declared
  const items = list === undefined ? [source] : [getByPath(source, list)].flat()
  const facts = items
    .filter((item) => matchesConditions(declared, item))
    .slice(0, MAX_ITEMS)
    .flatMap((item) => toFact(declared, item))
  const [only] = facts
  if (list !== undefined) found.choices[name] = facts
  else if (only !== undefined) found.facts[name] = only
}

function matchesConditions({ where = {} }: DeclaredFact, item: unknown): boolean {
  return Object.entries(where).every(([path, condition]) =>
    matchesCondition(getByPath(item, path), condition),
  )
}

function matchesCondition(found: unknown, condition: FactCondition): boolean {
  if (condition === null || typeof condition !== 'object' || !('contains' in condition))
    return matchesExpected(found, condition)
  const { contains } = condition
  return [found].flat().some((each) => typeof each === 'string' && each.includes(contains))
}

function toFact({ value: path = '', label }: DeclaredFact, item: unknown): Fact[] {
  const value = readFirst(path, item, {})
  if (typeof value !== 'string' && typeof value !== 'number') return []
  const text = label === undefined ? undefined : readFirst(label, item, {})
  const isText = typeof text === 'string' || typeof text === 'number'
  return [{ value: String(value), ...(isText && { label: String(text).slice(0, MAX_LENGTH) }) }]
}

/** RFC 7519: the token comes from the token endpoint itself, so its signature proves nothing more. */
function findClaim(config: RunContext['config'], path: string): unknown {
  const claims = [config.id_token, config.access_token].map((token) =>
    getByPath(readClaims(token), path),
  )
  return claims.find((claim) => claim != null)
}

function readClaims(token: unknown): unknown {
  const [, payload = ''] = typeof token === 'string' ? token.split('.') : []
  try {
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const utf8 = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(utf8))
  } catch {
    return undefined
  }
}
