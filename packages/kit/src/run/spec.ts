import type { AuthErrorRule, InputSpecification, Spec } from '@linchpin/runner/protocol'
import type { AuthKind } from '../auth/auth-kind.ts'
import type { Definition } from '../definition.ts'
import type { Fields } from '../spec/field.ts'
import { baseUrlOf } from './chosen.ts'

/** The result of SPEC. */
export function specOf(definition: Definition): Spec {
  const { version, hosts, inputs, auth } = definition
  const types = Object.entries(auth).map(([name, kind]) => {
    const base = baseUrlOf(definition, name)
    const fields = { ...inputs, ...kind.fields }
    const own = {
      input_specification: inputSpecification(kind.fields),
      ...kind.spec,
      ...(areComplete(definition, kind) && { 'x-headers': 'complete' as const }),
      ...(kind.check && authErrors(kind.check, definition.authErrors)),
    }
    const isTold = isSafe(base, fields) || (hosts !== 'any' && isFact(base, kind))
    return [name, isTold ? { ...own, api_base_url: base } : own]
  })
  const spec: Spec = {
    version,
    auth_specification: Object.fromEntries(types),
    ...(inputs && { other_inputs: { input_specification: inputSpecification(inputs) } }),
    ...authErrors(definition.check, definition.authErrors),
    ...(hosts !== 'any' && { 'x-hosts': hosts }),
  }
  // Undefined members are removed, so that Node and the jail return the same data.
  return JSON.parse(JSON.stringify(spec))
}

/**
 * The rules of a declared check for `invalid_credentials`, and those of the author. A 401 needs no rule; a rule for
 * headers, or for the status alone, applies to the check's own request only.
 */
function authErrors(
  check: Definition['check'],
  added: readonly AuthErrorRule[] = [],
): Pick<Spec, 'x-auth-errors'> {
  const { errors = [] } = typeof check === 'function' ? {} : check
  const derived = errors.flatMap(({ status, match, headers, code }): AuthErrorRule[] => {
    const isOnly401 = status !== undefined && [status].flat().every((each) => each === 401)
    if (code !== 'invalid_credentials' || match === undefined || headers || isOnly401) return []
    return [{ ...(status !== undefined && { status }), match }]
  })
  const rules = [...derived, ...added]
  return rules.length === 0 ? {} : { 'x-auth-errors': rules }
}

/**
 * Whether the templates of SPEC give the same headers as HEADERS: nothing is computed, and every field in them has a
 * value.
 */
function areComplete({ inputs, headers }: Definition, kind: AuthKind): boolean {
  const templates = Object.values(kind.spec.headers ?? {})
  if (templates.length === 0 || headers !== undefined || kind.logIn !== undefined) return false
  const fields = { ...inputs, ...kind.fields }
  const isGiven = (name: string) => {
    const field = fields[name]
    if (field === undefined) return name === 'access_token' && kind.facts.includes(name)
    return !field.optional && field.property.default === undefined
  }
  const names = templates.flatMap((template) => [...template.matchAll(/\$\{([^}]*)\}/g)])
  return names.every(([, name = '']) => isGiven(name))
}

function inputSpecification(fields: Fields): InputSpecification {
  const entries = Object.entries(fields)
  const isAsked = ({ optional, property }: Fields[string]) =>
    !optional && property.default === undefined
  return {
    type: 'object',
    required: entries.filter(([, field]) => isAsked(field)).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, { property }]) => [name, property])),
  }
}

/** A value of the token response may start the base URL, if the declared hosts cover it. */
function isFact(base: string, { facts, spec }: AuthKind): boolean {
  const name = /^\$\{([\w.-]+)\}/.exec(base)?.[1] ?? ''
  return facts.includes(name) && !spec.callback_params?.includes(name)
}

/** A host can only contain fields whose values the spec limits. */
function isSafe(base: string, fields: Fields): boolean {
  const names = [...base.matchAll(/\$\{([\w.-]+)\}/g)].map(
    ([, name = '']) => fields[name]?.property,
  )
  return names.every((field) => field?.pattern ?? field?.enum ?? field?.format === 'uri')
}
