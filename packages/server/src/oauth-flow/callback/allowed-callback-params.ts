import { configFields } from '../../accounts/credentials/config-fields.ts'
import { ApiError } from '../../errors.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSessionContext } from '../session/session-context.ts'

/**
 * The parameters of the way back that the spec names in `callback_params`. They came through a browser, so a value that
 * the spec's own field of that name does not allow is left out: only judged values may say where requests go.
 */
export async function allowedCallbackParams(
  deps: Pick<OAuthFlowDeps, 'validateConfig'>,
  { session, tenant, spec, type }: OAuthSessionContext,
  params: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const names = type.callbackParams.filter((name) => Object.hasOwn(params, name))
  const allowed = new Map(names.map((name) => [name, params[name] ?? '']))
  const fields = configFields(spec, session.auth_type)
  for (const [name, value] of allowed) {
    const property = fields?.properties.get(name)
    if (property === undefined) continue
    const schema = { properties: new Map([[name, property]]), required: [], declaresRequired: true }
    if (!(await isValid(deps.validateConfig(schema, { [name]: value }, tenant))))
      allowed.delete(name)
  }
  return Object.fromEntries(allowed)
}

async function isValid(validation: Promise<void>): Promise<boolean> {
  try {
    await validation
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_failed') return false
    throw error
  }
}
