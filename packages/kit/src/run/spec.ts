import type { AuthErrorRule, InputSpecification, Spec } from '@linchpin/runner/protocol'
import type { AuthKind } from '../auth/auth-kind.ts'
import type { Definition } from '../definition.ts'
import type { Fields } from '../spec/field.ts'
import { baseUrlOf } from './chosen.ts'

/** What SPEC answers. */
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
  // What is undefined is not there: the same data in Node as through the jail.
  return JSON.parse(JSON.stringify(spec))
}

/**
 * What a declared check calls `invalid_credentials`, and what the author adds. A 401 needs no rule; a rule about headers,
 * or about the status alone, holds for the check's own request only.
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

/** Whether the templates of SPEC give what HEADERS gives: nothing is computed, and every field of theirs has a value. */
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

/** A fact of the token answer may start the base: hosts that are named hold it. */
function isFact(base: string, { facts, spec }: AuthKind): boolean {
  const name = /^\$\{([\w.-]+)\}/.exec(base)?.[1] ?? ''
  return facts.includes(name) && !spec.callback_params?.includes(name)
}

/** A host takes its proxy's base only from fields whose values the spec limits. */
function isSafe(base: string, fields: Fields): boolean {
  const names = [...base.matchAll(/\$\{([\w.-]+)\}/g)].map(
    ([, name = '']) => fields[name]?.property,
  )
  return names.every((field) => field?.pattern ?? field?.enum ?? field?.format === 'uri')
}
