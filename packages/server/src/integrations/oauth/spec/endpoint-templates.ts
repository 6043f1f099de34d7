import { listRevocationNames } from '@linchpin/kit/entry'
import {
  type AuthSpecification,
  type InputProperty,
  isListed,
  normalizeHost,
  type RevocationSpecification,
  type Spec,
} from '@linchpin/runner'
import {
  type CallbackValues,
  fillUrlTemplate,
  getCallbackOrigin,
  PLACEHOLDER,
  TemplateError,
  type TemplateValues,
} from '../template.ts'
import {
  getTemplateFields,
  listOAuthTypes,
  type OAuthType,
  parseOAuthType,
} from './parse-oauth-type.ts'

/**
 * Why a URL of the spec cannot be filled in, by any configuration or with one of the values that a field allows by its
 * `enum`: each sign-in, or each request of the proxy, would fail. Undefined if there is no such URL. For other fields an
 * example is tried, because a pattern does not list the values that match it.
 *
 * A host that is a field without a pattern is accepted beside an auth type that works: published bundles have it.
 */
export function findTemplateError(spec: Spec): string | undefined {
  const problems = Object.keys(spec.auth_specification).map((authType) =>
    findAuthTypeProblem(spec, authType),
  )
  const isUsable = problems.includes(undefined)
  return problems.find((problem) => problem !== undefined && !(problem.isUnconstrained && isUsable))
    ?.message
}

interface Problem {
  readonly message: string
  readonly isUnconstrained: boolean
}

function findAuthTypeProblem(spec: Spec, authType: string): Problem | undefined {
  for (const url of listUrls(spec, authType)) {
    const problem = findProblem(spec, authType, url)
    if (problem === undefined) continue
    const isUnconstrained = problem instanceof TemplateError && problem.isUnconstrained
    const sentence = problem instanceof TemplateError ? problem.problem : problem
    return { message: `${url.path} cannot be filled in: ${sentence}`, isUnconstrained }
  }
  return undefined
}

interface SpecUrl {
  /** Where it is in the spec. */
  readonly path: string
  readonly template: string
  readonly use: 'sign-in' | 'revocation' | 'proxy'
  /** Whether Linchpin requests it, so that `x-hosts` has to list its host. */
  readonly isRequested: boolean
}

const OAUTH_URLS = [
  ['authorization_url', 'sign-in', false],
  ['token_url', 'sign-in', true],
  ['server_url', 'sign-in', true],
  ['refresh_url', 'sign-in', true],
  ['pushed_authorization_request_url', 'sign-in', true],
  ['revocation_url', 'revocation', false],
] as const

function listUrls(spec: Spec, authType: string): SpecUrl[] {
  const auth = spec.auth_specification[authType]
  const path = `auth_specification.${authType}`
  const oauthUrls = parseOAuthType(spec, authType) === undefined ? [] : listOAuthUrls(auth)
  const own = readUrl(auth?.api_base_url)
  const baseUrl: SpecUrl = {
    path: own === '' ? 'api_base_url' : `${path}.api_base_url`,
    template: own || readUrl(spec.api_base_url),
    use: 'proxy',
    isRequested: false,
  }
  const urls = oauthUrls.map((each): SpecUrl => ({ ...each, path: `${path}.${each.path}` }))
  return [...urls, baseUrl].filter(({ template }) => template !== '')
}

/** The URLs of an auth type besides that of its API: where people sign in, and what gets tokens and the client's credentials. */
export function listAuthUrls(auth: AuthSpecification | undefined): string[] {
  const templates = listOAuthUrls(auth).map(({ template }) => template)
  return templates.filter((template) => template !== '')
}

/** With paths below the auth type. Those that it does not have are empty. */
function listOAuthUrls(auth: AuthSpecification | undefined): SpecUrl[] {
  const members: Readonly<Record<string, unknown>> = { ...auth }
  const { first, ...next } = { ...auth?.['x-renew'] }
  return [
    ...OAUTH_URLS.map(
      ([path, use, isRequested]): SpecUrl => ({
        path,
        template: readUrl(members[path]),
        use,
        isRequested,
      }),
    ),
    { path: 'x-renew.url', template: readUrl(next.url), use: 'sign-in', isRequested: true },
    { path: 'x-renew.first.url', template: readUrl(first?.url), use: 'sign-in', isRequested: true },
    ...(auth?.['x-revocation'] ?? []).map(
      ({ url }, at): SpecUrl => ({
        path: `x-revocation.${at}.url`,
        template: readUrl(url),
        use: 'revocation',
        isRequested: true,
      }),
    ),
  ]
}

function readUrl(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

type Fields = ReadonlyMap<string, InputProperty>

function findProblem(
  spec: Spec,
  authType: string,
  { path, template, use, isRequested }: SpecUrl,
): string | TemplateError | undefined {
  const fields = listFields(spec, authType)
  const names = listNames(template)
  const unknown = use === 'sign-in' ? names.find((name) => AFTER_SIGN_IN.has(name)) : undefined
  if (unknown !== undefined) return `${unknown} is not known before the sign-in has ended`
  const leading = /^\$\{([A-Za-z0-9_.-]+)\}/.exec(template)?.[1]
  // A value of the token response, such as `instance_url`, which the proxy accepts for hosts of `x-hosts`.
  if (use === 'proxy' && leading !== undefined && !fields.has(leading))
    return spec['x-hosts']?.length
      ? undefined
      : `${leading} is a value of the token response, which needs x-hosts`
  const templateFields = getTemplateFields(spec, authType)
  const parameter = findCallbackName(spec, authType, template)
  const { callback } = templateFields
  // Published bundles have a refresh URL with such a label below a fixed domain.
  const needsHosts = !/\.(?:refresh|revocation)_url$/.test(path)
  if (parameter !== undefined && use !== 'proxy' && (needsHosts || callback !== undefined))
    return findCallbackProblem(template, parameter, callback)
  const hosts = isRequested && isBaseKnown(template, fields) ? spec['x-hosts'] : undefined
  for (const values of listExamples(template, names, fields)) {
    try {
      const { hostname } = new URL(fillUrlTemplate(template, values, templateFields))
      if (hosts !== undefined && !isListed(normalizeHost(hostname), hosts))
        return `${hostname} is not listed in x-hosts`
    } catch (error) {
      if (error instanceof TemplateError) return error
      throw error
    }
  }
  return undefined
}

/** The parameter of the callback that decides about the host, if no field of that name limits it. */
function findCallbackName(spec: Spec, authType: string, template: string): string | undefined {
  const fields = listFields(spec, authType)
  const names: readonly unknown[] = [spec.auth_specification[authType]?.callback_params].flat()
  return listNames(getTemplateOrigin(template)).find(
    (name) => names.includes(name) && !fields.has(name),
  )
}

function findCallbackProblem(
  template: string,
  parameter: string,
  callback: CallbackValues | undefined,
): string | undefined {
  if (callback === undefined)
    return `${parameter} is a parameter of the callback, which needs x-hosts`
  return listCallbackHosts(getTemplateOrigin(template), callback).length === 0
    ? 'x-hosts lists no host that it could have'
    : undefined
}

/** The hosts of `x-hosts` that a parameter of the callback may lead to. */
function listCallbackHosts(origin: string, { hosts }: CallbackValues): readonly string[] {
  const host = /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.replace(/:\d+$/, '').toLowerCase() ?? ''
  const parts = host.split(PLACEHOLDER).filter((_part, at) => at % 2 === 0)
  return host === '' ? hosts : hosts.filter((each) => hasParts(each.replace('*', 'x'), parts))
}

/** Whether a text is these parts with something between them. Not by a regular expression: a spec could make it slow. */
function hasParts(text: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop() ?? ''
  let at = text.startsWith(first) ? first.length : -1
  for (const part of rest) {
    const found = at < 0 ? -1 : text.indexOf(part, at + 1)
    at = found < 0 ? -1 : found + part.length
  }
  return at >= 0 && text.endsWith(last) && at < text.length - last.length
}

/** What a start request cannot contain: only sign-in provides it. */
const AFTER_SIGN_IN: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'client_secret',
  'refresh_token',
  'scope',
  'scopes',
  'token',
  'token_type',
])

function listNames(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []))]
}

function listFields(spec: Spec, authType: string): Fields {
  const sections = [spec.auth_specification[authType], spec.other_inputs]
  return new Map(
    sections.flatMap((section) => Object.entries(section?.input_specification?.properties ?? {})),
  )
}

/** Whether the spec decides about the host: it contains no field, or only fields with an `enum`. */
function isBaseKnown(template: string, fields: Fields): boolean {
  const base = /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(template)?.[0] ?? template
  return listNames(base).every((name) => listEnum(fields.get(name)) !== undefined)
}

/** Values of all fields: one record for each value of an `enum`, at least one in total. */
function listExamples(
  template: string,
  names: readonly string[],
  fields: Fields,
): TemplateValues[] {
  const example = Object.fromEntries(
    names.map((name) => {
      const text = template.startsWith(`\${${name}}`) ? 'https://example.com' : 'x'
      return [name, listEnum(fields.get(name))?.[0] ?? text]
    }),
  )
  const others = names.flatMap((name) =>
    (listEnum(fields.get(name)) ?? []).map((value) => ({ ...example, [name]: value })),
  )
  return [example, ...others]
}

function listEnum(field: InputProperty | undefined): readonly unknown[] | undefined {
  return Array.isArray(field?.enum) && field.enum.length > 0 ? field.enum : undefined
}

/**
 * The origins (RFC 6454) of the endpoints that receive a client secret, for every OAuth type of a spec: token, refresh,
 * pushed authorization request and revocation. A field in the host is filled with its `enum` or its default, which the
 * author chose. A host that a configuration can choose freely has no origin here.
 */
export function listEndpointOrigins(spec: Spec): string[] {
  const origins = listOAuthTypes(spec).flatMap(({ authType, type }) => {
    const fields = inputFields(spec, authType)
    return listClientSecretEndpoints(type).flatMap((url) => listTemplateOrigins(url, type, fields))
  })
  return [...new Set(origins)].sort().slice(0, MAX_ORIGINS)
}

/**
 * Host patterns for the endpoints whose subdomain comes from the configuration: `*.myshopify.com` for
 * `https://${shop}.myshopify.com/…`.
 */
export function listEndpointDomains(spec: Spec): string[] {
  const domains = listOAuthTypes(spec).flatMap(({ authType, type }) => {
    const fields = inputFields(spec, authType)
    return listClientSecretEndpoints(type).flatMap((url) => {
      const base = getTemplateOrigin(url)
      const callback = findCallbackOf(base, type)
      if (callback !== undefined)
        return listCallbackHosts(base, callback).filter((host) => host.startsWith('*.'))
      const isFixed = listPlaceholderNames(base).every(
        (name) => listDeclaredValues(fields.get(name)) !== undefined,
      )
      return isFixed ? [] : buildFixedDomainPattern(base)
    })
  })
  return [...new Set(domains)].sort()
}

type InputFields = ReadonlyMap<string, InputProperty>

function listClientSecretEndpoints(type: OAuthType): string[] {
  const { tokenUrl, refreshUrl, revocation, pushedRequestUrl, exchanges } = type
  const revocationUrls = revocation.filter(sendsClientSecret).map(({ url }) => url)
  const exchangeUrls = [exchanges?.first.url, exchanges?.next.url]
  return [tokenUrl, refreshUrl, ...revocationUrls, pushedRequestUrl, ...exchangeUrls].filter(
    (url) => url !== undefined,
  )
}

function inputFields(spec: Spec, authType: string): InputFields {
  const fields = new Map<string, InputProperty>()
  for (const section of [spec.auth_specification[authType], spec.other_inputs])
    for (const [name, property] of Object.entries(section?.input_specification?.properties ?? {}))
      fields.set(name, { ...fields.get(name), ...property })
  return fields
}

function listTemplateOrigins(template: string, type: OAuthType, fields: InputFields): string[] {
  const base = getTemplateOrigin(template)
  const callback = findCallbackOf(base, type)
  if (callback !== undefined)
    return listCallbackHosts(base, callback)
      .filter((host) => !host.startsWith('*.'))
      .map((host) => getCallbackOrigin(host, callback))
  let candidates: Record<string, unknown>[] = [{}]
  for (const name of new Set(listPlaceholderNames(base))) {
    const values = listDeclaredValues(fields.get(name)) ?? []
    candidates = candidates
      .flatMap((candidate) => values.map((value) => ({ ...candidate, [name]: value })))
      .slice(0, MAX_ORIGINS)
  }
  return candidates.flatMap((values) => resolveOrigin(base, values, type) ?? [])
}

/** Undefined unless a parameter of the callback decides about the host. */
function findCallbackOf(
  base: string,
  { templateFields: { callback } }: OAuthType,
): CallbackValues | undefined {
  return listPlaceholderNames(base).some((name) => callback?.names.has(name)) ? callback : undefined
}

function resolveOrigin(
  base: string,
  values: Readonly<Record<string, unknown>>,
  { templateFields }: OAuthType,
): string | undefined {
  try {
    return new URL(fillUrlTemplate(base, values, templateFields)).origin
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** The values that the spec declares for a field; undefined if a configuration may contain any value. */
function listDeclaredValues(field: InputProperty | undefined): readonly unknown[] | undefined {
  if (Array.isArray(field?.enum)) return field.enum
  return field?.default == null ? undefined : [field.default]
}

/** Scheme and authority, or the field that contains a whole base URL. */
function getTemplateOrigin(template: string): string {
  return /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(template)?.[0] ?? template
}

function listPlaceholderNames(base: string): string[] {
  return [...base.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

/** Requires two labels, which rules out a domain such as `.com`. */
function buildFixedDomainPattern(base: string): string[] {
  const domain = /\}(\.[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(base)?.[1]
  return domain === undefined ? [] : [`*${domain.toLowerCase()}`]
}

const MAX_ORIGINS = 200

/** Whether the client secret is sent. */
function sendsClientSecret(request: RevocationSpecification): boolean {
  return request.auth_method !== undefined || listRevocationNames(request).has('client_secret')
}
