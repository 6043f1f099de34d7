import { refuse } from '../spec/check-failure.ts'
import type {
  CheckResult,
  Code,
  ErrorRule,
  Expectation,
  ExpectedValue,
} from '../spec/check-rules.ts'
import { getByPath } from '../values/get-by-path.ts'
import { readBody } from '../values/read-body.ts'

/** What a check result contains if no rule matches. */
export interface ResponseContext {
  readonly name: string
  /** The field that contains the credential. */
  readonly credentialField: string | undefined
  /** The field that contains the address of the provider; undefined if that is fixed. */
  readonly hostField: string | undefined
}

/**
 * Maps a response to a check result: rules first, then success, then the status. A body that was read before is not
 * inspected.
 */
export async function checkResponse(
  response: Response,
  { expect, ok, errors = [] }: Expectation,
  context: ResponseContext,
): Promise<CheckResult> {
  const { name } = context
  // Code may have read it already, and may want to read it later.
  const body = response.bodyUsed ? undefined : await readBody(response.clone())
  const rule = errors.find((each) => matchesRule(each, response, body))
  if (rule) {
    const code = rule.code ?? getCode(response.status, context) ?? 'invalid_credentials'
    return refuse(name, code, { field: getField(code, context), ...rule })
  }
  const expected = expect === undefined ? response.ok : [expect].flat().includes(response.status)
  if (expected && isSuccessBody(ok, body)) return { status: true, error: '' }
  const code = expected ? 'invalid_credentials' : getCode(response.status, context)
  if (code) return refuse(name, code, { field: getField(code, context) })
  const error = `${name} returned the unexpected status ${response.status}.`
  return refuse(name, 'unexpected_answer', { error })
}

function matchesRule(rule: ErrorRule, response: Response, body: unknown): boolean {
  const { status, match = {}, headers = {} } = rule
  if (status !== undefined && ![status].flat().includes(response.status)) return false
  return (
    Object.entries(match).every(([path, expected]) =>
      matchesExpected(getByPath(body, path), expected),
    ) &&
    Object.entries(headers).every(([name, expected]) =>
      matchesExpected(response.headers.get(name), expected),
    )
  )
}

function matchesExpected(found: unknown, expected: ExpectedValue): boolean {
  if (typeof expected === 'object' && expected !== null && 'startsWith' in expected)
    return typeof found === 'string' && found.startsWith(expected.startsWith)
  return [expected].flat().includes(found as never)
}

function isSuccessBody(ok: Expectation['ok'], body: unknown): boolean {
  if (ok === undefined) return true
  return typeof ok === 'string'
    ? getByPath(body, ok) != null
    : getByPath(body, ok.path) === ok.equals
}

function getCode(status: number, { hostField }: ResponseContext): Code | undefined {
  if (status === 401) return 'invalid_credentials'
  if (status === 403) return 'insufficient_scope'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'provider_unreachable'
  const isElsewhere = status === 404 || (status >= 300 && status < 400)
  return isElsewhere && hostField ? 'wrong_host' : undefined
}

function getField(code: Code, { credentialField, hostField }: ResponseContext): string | undefined {
  if (code === 'wrong_host') return hostField
  return code === 'invalid_credentials' || code === 'insufficient_scope'
    ? credentialField
    : undefined
}
