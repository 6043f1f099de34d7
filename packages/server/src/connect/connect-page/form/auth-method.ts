import { setImmediate } from 'node:timers/promises'
import type { AuthSpecification, FactSpecification, InputProperty, Spec } from '@linchpin/runner'
import {
  listConfigFields,
  listFacts,
} from '../../../accounts/accounts/credentials/account-config.ts'
import {
  isMasked,
  listNestedFields,
  listPromptFields,
} from '../../../accounts/accounts/credentials/list-prompt-fields.ts'
import type { ConfigFields } from '../../../accounts/accounts/credentials/validate-config.ts'
import type { FactQuestion } from '../../../accounts/accounts/verification/run-check.ts'
import type { AuthKind } from '../../../integrations/definitions/auth-kinds.ts'
import type { Definition, DefinitionSummary } from '../../../integrations/definitions/definition.ts'
import { isDeclaredSecret } from '../../../integrations/definitions/spec/spec-schema.ts'
import {
  type OAuthType,
  parseOAuthType,
} from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import type { ScopeSettings } from '../../../integrations/oauth/spec/scopes.ts'
import { PLACEHOLDER } from '../../../integrations/oauth/template.ts'
import { type FormDestinations, readFormDestinations } from '../../connect-sessions/given-config.ts'
import {
  type FormField,
  getFieldLabel,
  getTypes,
  type RawField,
  toFormField,
} from './form-field.ts'

/** An auth method of an integration. */
export interface AuthMethod {
  /** Key in `auth_specification`. */
  readonly authType: string
  readonly kind: AuthKind
  /** Whether the sign-in finds its client. Absent: no. */
  readonly findsClient?: true
  /** Host of the authorization page, as far as the spec defines it. */
  readonly host: string | undefined
  /** Origin of the authorization URL if it uses http, which operators allow for single providers. */
  readonly httpOrigin?: string | undefined
  /** The scopes of the sign-in, and their labels. */
  readonly scopes?: SignInScopes | undefined
  /** The fields to fill in, without those that the sign-in provides. */
  readonly fields: readonly FormField[]
  /** What CONNECTED finds. */
  readonly facts: readonly FactSpecification[]
  /** Which fields may choose where values are sent. */
  readonly destinations: FormDestinations
}

/** What a spec says about the scopes of a sign-in. */
export interface SignInScopes {
  readonly type: ScopeSettings & Pick<OAuthType, 'isIncremental'>
  readonly texts: Pick<AuthSpecification, 'x-scope-labels' | 'x-i18n'> | undefined
}

/** Length from which a spec takes more than a millisecond to parse, in characters. */
const LARGE_SPEC_LENGTH = 32_000

/** Maximum total length of the cached specs, in characters. */
const MAX_CACHED_LENGTH = 8_000_000

/** Auth methods by the hash of the bundle. */
export type AuthMethods = ReadonlyMap<string, readonly AuthMethod[]>

/**
 * Creates a reader of auth methods. Specs are large and immutable per hash, so the result is cached, and `loadSpecs` is only
 * called when one is missing.
 */
export function createAuthMethodReader() {
  const cache = new Map<
    string,
    { readonly authMethods: readonly AuthMethod[]; readonly size: number }
  >()
  let size = 0

  return async (
    definitions: readonly DefinitionSummary[],
    loadSpecs: () => Promise<readonly Pick<Definition, 'bundleSha256' | 'specJson' | 'spec'>[]>,
  ): Promise<AuthMethods> => {
    const found = new Map<string, readonly AuthMethod[]>()
    for (const { bundleSha256 } of definitions) {
      const cached = cache.get(bundleSha256)
      if (cached !== undefined) found.set(bundleSha256, cached.authMethods)
    }
    if (definitions.every(({ bundleSha256 }) => found.has(bundleSha256))) return found
    for (const definition of await loadSpecs()) {
      const { bundleSha256, specJson } = definition
      if (found.has(bundleSha256)) continue
      // A workspace may have any number of specs of 256 kB: yield to other requests between them.
      if (specJson.length > LARGE_SPEC_LENGTH) await setImmediate()
      const authMethods = getAuthMethods(definition.spec)
      found.set(bundleSha256, authMethods)
      addToCache(bundleSha256, authMethods, specJson.length)
    }
    return found
  }

  function addToCache(hash: string, authMethods: readonly AuthMethod[], length: number): void {
    if (!cache.has(hash)) size += length
    cache.set(hash, { authMethods, size: length })
    for (const [oldest, entry] of cache) {
      if (size <= MAX_CACHED_LENGTH) return
      cache.delete(oldest)
      size -= entry.size
    }
  }
}

export type AuthMethodReader = ReturnType<typeof createAuthMethodReader>

/** The auth methods of a spec, sign-in first. */
export function getAuthMethods(spec: Spec): AuthMethod[] {
  const all = Object.keys(spec.auth_specification).map((authType): AuthMethod => {
    const type = parseOAuthType(spec, authType)
    const inputFields = listConfigFields(spec, authType)
    const promptedFields =
      inputFields === undefined || type === undefined
        ? inputFields
        : listPromptFields(inputFields, type)
    const fields = promptedFields === undefined ? [] : createFormFields(promptedFields)
    const destinations = readFormDestinations(spec, authType)
    const facts = listFacts(spec, authType)
    return type === undefined
      ? { authType, kind: 'credentials', host: undefined, fields, facts, destinations }
      : {
          authType,
          kind: 'sign_in',
          ...(type.discoveredFrom === undefined ? {} : { findsClient: true as const }),
          host: getHost(type.authorizationUrl),
          httpOrigin: getHttpOrigin(type.authorizationUrl),
          scopes: { type, texts: spec.auth_specification[authType] },
          fields,
          facts,
          destinations,
        }
  })
  return [
    ...all.filter(({ kind }) => kind === 'sign_in'),
    ...all.filter(({ kind }) => kind === 'credentials'),
  ]
}

/** The host of a URL template: `${subdomain}.desk.example` → `….desk.example`. */
function getHost(template: string): string | undefined {
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(template)?.[1]
  // Userinfo before the last `@` could imitate a host.
  return authority?.split('@').at(-1)?.replace(PLACEHOLDER, '…').toLowerCase()
}

function getHttpOrigin(template: string): string | undefined {
  const url = URL.parse(template)
  return url?.protocol === 'http:' ? url.origin : undefined
}
/** A form links to at most so many other methods. */
const MAX_ALTERNATIVES = 3

/**
 * The method whose form opens without a choice: the only one, or the only sign-in, which needs nothing that the person would
 * have to find first. Its form links to the others.
 */
export function getDefaultAuthMethod({
  available,
}: {
  readonly available: readonly AuthMethod[]
}): AuthMethod | undefined {
  const [first, second] = available
  if (second === undefined) return first
  const isRecommended = first?.kind === 'sign_in' && second.kind !== 'sign_in'
  return isRecommended && available.length <= 1 + MAX_ALTERNATIVES ? first : undefined
}

/** The fields that ask for facts: one select each. */
export function createFactFields(questions: readonly FactQuestion[]): FormField[] {
  return questions.map(({ fact, choices, selected }, index) => {
    const { name, title, 'x-i18n': texts = {} } = fact
    const titles = Object.entries(texts).flatMap(([language, { title: translated }]) =>
      translated === undefined ? [] : [[language, { title: translated }]],
    )
    const property = {
      type: 'string',
      title,
      enum: choices.map(({ value }) => value),
      ...(selected !== undefined && { default: selected }),
      'x-labels': Object.fromEntries(choices.map(({ value, label }) => [value, label ?? value])),
      'x-i18n': Object.fromEntries(titles),
    }
    const field = toFormField({ name, property, requirement: 'required' }, index)
    return { ...field, id: `fact-${index}` }
  })
}

/**
 * The form fields of an auth type, those with an `x-order` first. An object with known properties is rendered as a group of
 * fields.
 */
export function createFormFields({
  properties,
  required,
  declaresRequired,
}: ConfigFields): FormField[] {
  /** Without `required` in the spec, a secret that is the only field is still required. */
  const getRequirement = (name: string): RawField['requirement'] => {
    if (declaresRequired) return required.includes(name) ? 'required' : 'optional'
    return properties.size === 1 && isMasked(name, properties.get(name) ?? {})
      ? 'required'
      : 'unspecified'
  }
  return sortByOrder([...properties])
    .map(([name, property]): RawField => ({ name, property, requirement: getRequirement(name) }))
    .flatMap((rawField) => nestedRawFields(rawField, properties) ?? [rawField])
    .map(toFormField)
}

/** The fields inside an object; undefined when it is a single field, or when names would collide. */
function nestedRawFields(
  { name, property, requirement }: RawField,
  all: ConfigFields['properties'],
): RawField[] | undefined {
  const nested = Object.entries(listNestedFields(property))
  const isObject = getTypes(property).every((type) => type === 'object' || type === 'null')
  if (
    !isObject ||
    nested.length === 0 ||
    nested.some(([nestedName]) => all.has(`${name}.${nestedName}`))
  )
    return undefined
  const isSecret = isDeclaredSecret(property)
  const { required } = property as { readonly required?: unknown }
  const group = {
    name,
    label: getFieldLabel(name, property),
    help: property.description,
    isOptional: requirement === 'optional',
    isRequired: requirement === 'required',
    property,
  }
  return sortByOrder(nested).map(([nestedName, one]) => ({
    name: nestedName,
    property: isSecret ? { ...one, 'x-secret': true } : one,
    requirement: nestedRequirement(nestedName, requirement, required),
    group,
  }))
}

/** In an optional object no field is required. */
function nestedRequirement(
  nestedName: string,
  requirement: RawField['requirement'],
  required: unknown,
): RawField['requirement'] {
  if (requirement !== 'required' || !Array.isArray(required)) return 'unspecified'
  return required.includes(nestedName) ? 'required' : 'optional'
}

function sortByOrder(fields: readonly [string, InputProperty][]): [string, InputProperty][] {
  return fields.toSorted(([, one], [, other]) => getOrder(one) - getOrder(other))
}

function getOrder(property: InputProperty): number {
  const order = property['x-order']
  return typeof order === 'number' && Number.isFinite(order) ? order : Number.MAX_SAFE_INTEGER
}
