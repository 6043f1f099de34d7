import type { Code, ErrorRule, Expectation, Verdict, Wanted } from '../spec/check-rules.ts'
import { at } from './json-path.ts'
import { readBody } from './read-body.ts'
import { refuse } from './refusal.ts'

/** What a check result contains if no rule matches. */
export interface JudgeContext {
  readonly name: string
  /** The field that contains the credential. */
  readonly blames: string | undefined
  /** The field that contains the address of the provider; undefined if that is fixed. */
  readonly hostField: string | undefined
}

/**
 * Maps a response to a check result: rules first, then success, then the status. A body that was read before is not
 * inspected.
 */
export async function judge(
  response: Response,
  { expect, ok, errors = [] }: Expectation,
  context: JudgeContext,
): Promise<Verdict> {
  const { name } = context
  // Code may have read it already, and may want to read it later.
  const body = response.bodyUsed ? undefined : await readBody(response.clone())
  const rule = errors.find((each) => fits(each, response, body))
  if (rule) {
    const code = rule.code ?? codeOf(response.status, context) ?? 'invalid_credentials'
    return refuse(name, code, { field: fieldOf(code, context), ...rule })
  }
  const expected = expect === undefined ? response.ok : [expect].flat().includes(response.status)
  if (expected && isFine(ok, body)) return { status: true, error: '' }
  const code = expected ? 'invalid_credentials' : codeOf(response.status, context)
  if (code) return refuse(name, code, { field: fieldOf(code, context) })
  const error = `${name} answered with status ${response.status}, which nobody expected.`
  return refuse(name, 'unexpected_answer', { error })
}

function fits(rule: ErrorRule, response: Response, body: unknown): boolean {
  const { status, match = {}, headers = {} } = rule
  if (status !== undefined && ![status].flat().includes(response.status)) return false
  return (
    Object.entries(match).every(([path, wanted]) => isWanted(at(body, path), wanted)) &&
    Object.entries(headers).every(([name, wanted]) => isWanted(response.headers.get(name), wanted))
  )
}

function isWanted(found: unknown, wanted: Wanted): boolean {
  if (typeof wanted === 'object' && wanted !== null && 'startsWith' in wanted)
    return typeof found === 'string' && found.startsWith(wanted.startsWith)
  return [wanted].flat().includes(found as never)
}

function isFine(ok: Expectation['ok'], body: unknown): boolean {
  if (ok === undefined) return true
  return typeof ok === 'string' ? at(body, ok) != null : at(body, ok.path) === ok.equals
}

function codeOf(status: number, { hostField }: JudgeContext): Code | undefined {
  if (status === 401) return 'invalid_credentials'
  if (status === 403) return 'insufficient_scope'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'provider_unreachable'
  const isElsewhere = status === 404 || (status >= 300 && status < 400)
  return isElsewhere && hostField ? 'wrong_host' : undefined
}

function fieldOf(code: Code, { blames, hostField }: JudgeContext): string | undefined {
  if (code === 'wrong_host') return hostField
  return code === 'invalid_credentials' || code === 'insufficient_scope' ? blames : undefined
}
