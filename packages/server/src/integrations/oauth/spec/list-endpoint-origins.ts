import type { InputProperty, Spec } from '@linchpin/runner'
import { PLACEHOLDER, TemplateError } from '../template/template-value.ts'
import { fillUrlTemplate } from '../template/url-template.ts'
import { listOAuthTypes } from './list-oauth-types.ts'
import type { OAuthType } from './parse-oauth-type.ts'

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
  const { tokenUrl, refreshUrl, revocationUrl, pushedRequestUrl } = type
  return [tokenUrl, refreshUrl, revocationUrl, pushedRequestUrl].filter((url) => url !== undefined)
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
  let candidates: Record<string, unknown>[] = [{}]
  for (const name of new Set(listPlaceholderNames(base))) {
    const values = listDeclaredValues(fields.get(name)) ?? []
    candidates = candidates
      .flatMap((candidate) => values.map((value) => ({ ...candidate, [name]: value })))
      .slice(0, MAX_ORIGINS)
  }
  return candidates.flatMap((values) => resolveOrigin(base, values, type) ?? [])
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
