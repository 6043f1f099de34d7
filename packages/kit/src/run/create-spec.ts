import type {
  AuthErrorRule,
  AuthSpecification,
  InputSpecification,
  Spec,
} from '@linchpin/runner/protocol'
import type { AuthMethod } from '../auth/auth-method.ts'
import type { Definition } from '../definition.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { Fields } from '../spec/field.ts'
import { getBaseUrl, getFacts } from './get-auth-method.ts'

/** The result of SPEC. */
export function createSpec(definition: Definition): Spec {
  const { version, hosts, inputs, auth } = definition
  const types = Object.entries(auth).map(([name, authMethod]) => {
    const base = getBaseUrl(definition, name)
    const fields = { ...inputs, ...authMethod.fields }
    const own = {
      input_specification: createInputSpecification(authMethod.fields),
      ...authMethod.spec,
      ...createQuery(authMethod),
      ...(areHeadersComplete(definition, authMethod) && { 'x-headers': 'complete' as const }),
      ...(authMethod.check && createAuthErrors(authMethod.check, definition.authErrors)),
      ...createFacts(getFacts(definition, name)),
    }
    const facts = new Set(getFacts(definition, name).map((fact) => fact.name))
    const isPublic =
      hasRestrictedHost(base, fields, facts) ||
      (hosts !== 'any' && startsWithSignInValue(base, authMethod, facts))
    return [name, isPublic ? { ...own, api_base_url: base } : own]
  })
  const spec: Spec = {
    version,
    auth_specification: Object.fromEntries(types),
    ...(inputs && { other_inputs: { input_specification: createInputSpecification(inputs) } }),
    ...createAuthErrors(definition.check, definition.authErrors),
    ...(definition.retry && { 'x-rate-limit': definition.retry }),
    ...(definition.checkInterval !== undefined && { 'x-check-interval': definition.checkInterval }),
    ...(definition.getMayWrite && { 'x-get-may-write': true }),
    ...(hosts !== 'any' && { 'x-hosts': hosts }),
  }
  // Undefined members are removed, so that Node and the sandbox return the same data.
  return JSON.parse(JSON.stringify(spec))
}

/**
 * The rules of a declared check for `invalid_credentials`, and those of the author. A 401 needs no rule; a rule for
 * headers, or for the status alone, applies to the check's own request only.
 */
function createAuthErrors(
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
function areHeadersComplete({ inputs, headers }: Definition, authMethod: AuthMethod): boolean {
  const templates = Object.values(authMethod.spec.headers ?? {})
  if (headers !== undefined || authMethod.logIn !== undefined) return false
  if (templates.length === 0 && createQuery(authMethod) === undefined) return false
  const fields = { ...inputs, ...authMethod.fields }
  const hasValue = (name: string) => {
    const field = fields[name]
    if (field === undefined)
      return name === 'access_token' && authMethod.signInValues.includes(name)
    return !field.optional && field.property.default === undefined
  }
  const names = templates.flatMap((template) => [...template.matchAll(/\$\{([^}]*)\}/g)])
  return names.every(([, name = '']) => hasValue(name))
}

/** The parameters with credentials. What a login returns has no value there: requests fail instead of lacking it. */
function createQuery({
  credentials,
  spec,
}: AuthMethod): Pick<AuthSpecification, 'headers' | 'query'> | undefined {
  const { query = {} } = credentials
  return Object.keys(query).length === 0 ? undefined : { headers: spec.headers ?? {}, query }
}

function createInputSpecification(fields: Fields): InputSpecification {
  const entries = Object.entries(fields)
  const isRequired = ({ optional, property }: Fields[string]) =>
    !optional && property.default === undefined
  return {
    type: 'object',
    required: entries.filter(([, field]) => isRequired(field)).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, { property }]) => [name, property])),
  }
}

/** A value of the token response may start the base URL, if the declared hosts cover it. */
function startsWithSignInValue(
  base: string,
  { signInValues, spec }: AuthMethod,
  facts: ReadonlySet<string>,
): boolean {
  const name = getLeadingName(base) ?? ''
  if (facts.has(name)) return true
  return signInValues.includes(name) && !spec.callback_params?.includes(name)
}

/** A host can only contain fields whose values the spec limits, and facts below a domain. */
function hasRestrictedHost(base: string, fields: Fields, facts: ReadonlySet<string>): boolean {
  if (facts.has(getLeadingName(base) ?? '')) return false
  return [...base.matchAll(/\$\{([\w.-]+)\}/g)].every(([, name = '']) => {
    const field = fields[name]?.property
    return facts.has(name) || (field?.pattern ?? field?.enum ?? field?.format === 'uri')
  })
}

function getLeadingName(base: string): string | undefined {
  return /^\$\{([\w.-]+)\}/.exec(base)?.[1]
}

/** What the server asks for, and what it says if there is none. */
function createFacts(facts: readonly DeclaredFact[]): Pick<AuthSpecification, 'x-facts'> {
  if (facts.length === 0) return {}
  return {
    'x-facts': facts.map(({ name, title, pick, hint, i18n }) => ({
      name,
      title,
      ...(pick !== undefined && { pick }),
      ...(hint !== undefined && { hint }),
      ...(i18n !== undefined && { 'x-i18n': i18n }),
    })),
  }
}
