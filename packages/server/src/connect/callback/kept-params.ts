import { configFields } from '../../account/config/config-fields.ts'
import { ApiError } from '../../errors.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/**
 * The parameters of the way back that the spec names in `callback_params`. They came through a browser, so a value that
 * the spec's own field of that name does not allow is left out: only judged values may say where requests go.
 */
export async function keptParams(
  deps: Pick<ConnectDeps, 'judgeConfig'>,
  { attempt, tenant, spec, type }: AttemptContext,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const names = type.callbackParams.filter((name) => Object.hasOwn(given, name))
  const named = new Map(names.map((name) => [name, given[name] ?? '']))
  const fields = configFields(spec, attempt.auth_type)
  for (const [name, value] of named) {
    const property = fields?.properties.get(name)
    if (property === undefined) continue
    const judged = { properties: new Map([[name, property]]), required: [], tellsRequired: true }
    if (!(await isAllowed(deps.judgeConfig(judged, { [name]: value }, tenant)))) named.delete(name)
  }
  return Object.fromEntries(named)
}

async function isAllowed(verdict: Promise<void>): Promise<boolean> {
  try {
    await verdict
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_failed') return false
    throw error
  }
}
