import type { InputProperty, Spec } from '@linchpin/runner'
import { TemplateError } from '../template/template-error.ts'
import { PLACEHOLDER } from '../template/template-value.ts'
import { fillTemplate } from '../template/url-template.ts'
import type { OAuthType } from './auth-type.ts'
import { oauthTypes } from './oauth-types.ts'

/**
 * The origins (RFC 6454) of the endpoints of a spec that receive a client secret: token, refresh, pushed authorization request
 * and revocation, of every auth type with sign-in. Where a field stands in the host, its `enum` or its default in the spec
 * is filled in: these hosts are the author's choice. A host that a configuration is free to choose has no origin here.
 */
export function endpointOrigins(spec: Spec): string[] {
  const origins = oauthTypes(spec).flatMap(({ authType, type }) => {
    const fields = fieldsOf(spec, authType)
    return endpoints(type).flatMap((url) => originsOf(url, type, fields))
  })
  return [...new Set(origins)].sort().slice(0, MAX_ORIGINS)
}

/**
 * The domains that end the hosts of such endpoints where a configuration chooses how they begin, as host patterns:
 * `*.myshopify.com` for `https://${shop}.myshopify.com/…`.
 */
export function endpointDomains(spec: Spec): string[] {
  const domains = oauthTypes(spec).flatMap(({ authType, type }) => {
    const fields = fieldsOf(spec, authType)
    return endpoints(type).flatMap((url) => {
      const start = startOf(url)
      const isFixed = namesOf(start).every((name) => valuesOf(fields.get(name)) !== undefined)
      return isFixed ? [] : literalDomain(start)
    })
  })
  return [...new Set(domains)].sort()
}

type Fields = ReadonlyMap<string, InputProperty>

function endpoints(type: OAuthType): string[] {
  const { tokenUrl, refreshUrl, revocationUrl, pushedRequestUrl } = type
  return [tokenUrl, refreshUrl, revocationUrl, pushedRequestUrl].filter((url) => url !== undefined)
}

function fieldsOf(spec: Spec, authType: string): Fields {
  const fields = new Map<string, InputProperty>()
  for (const place of [spec.auth_specification[authType], spec.other_inputs])
    for (const [name, property] of Object.entries(place?.input_specification?.properties ?? {}))
      fields.set(name, { ...fields.get(name), ...property })
  return fields
}

function originsOf(template: string, type: OAuthType, fields: Fields): string[] {
  const start = startOf(template)
  let candidates: Record<string, unknown>[] = [{}]
  for (const name of new Set(namesOf(start))) {
    const values = valuesOf(fields.get(name)) ?? []
    candidates = candidates
      .flatMap((candidate) => values.map((value) => ({ ...candidate, [name]: value })))
      .slice(0, MAX_ORIGINS)
  }
  return candidates.flatMap((values) => originOf(start, values, type) ?? [])
}

function originOf(
  start: string,
  values: Readonly<Record<string, unknown>>,
  { templateFields }: OAuthType,
): string | undefined {
  try {
    return new URL(fillTemplate(start, values, templateFields)).origin
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** What the author lists for a field; undefined when a configuration may hold anything. */
function valuesOf(field: InputProperty | undefined): readonly unknown[] | undefined {
  if (Array.isArray(field?.enum)) return field.enum
  return field?.default == null ? undefined : [field.default]
}

/** Scheme and authority, or the field that is a whole base URL. */
function startOf(template: string): string {
  return /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(template)?.[0] ?? template
}

function namesOf(start: string): string[] {
  return [...start.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])
}

/** Two labels at least, which rules out a domain such as `.com`. */
function literalDomain(start: string): string[] {
  const domain = /\}(\.[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(start)?.[1]
  return domain === undefined ? [] : [`*${domain.toLowerCase()}`]
}

const MAX_ORIGINS = 200
