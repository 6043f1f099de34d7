import type { AuthSpecification, InputSpecification, Spec } from '@linchpin/runner'
import { normalizeSpec } from '../../integrations/definitions/spec/normalize-spec.ts'
import type { KnownBundle } from './known-bundles.ts'

/**
 * Adds what the spec of a bundle of Poozle lacks: the base URLs and hosts that the proxy needs, if the bundle is known, and
 * a pattern for fields that are hosts. Leaves what the bundle has. A value that is no spec is returned unchanged.
 *
 * @param entry the spec of the catalogue's entry for the bundle
 */
export function completeSpec(
  value: unknown,
  bundle: KnownBundle | undefined,
  entry: Spec | undefined,
): unknown {
  const normalized = normalizeSpec(value)
  if (typeof normalized === 'string' || !isSpecShaped(normalized.spec)) return value
  const { spec } = normalized
  const isKnown = bundle !== undefined && entry !== undefined
  return addHostPatterns(isKnown ? addProxySettings(spec, bundle, entry) : spec)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isSpecShaped(value: unknown): value is Spec {
  const types = (value as { auth_specification?: unknown } | null)?.auth_specification
  return isObject(types) && Object.values(types).every(isObject)
}

function addProxySettings(spec: Spec, bundle: KnownBundle, entry: Spec): Spec {
  if (spec.api_base_url !== undefined) return spec
  const types = Object.entries(spec.auth_specification).map(([name, auth]) => {
    const mapped = bundle.auth[name]?.authType
    const entryAuth = mapped === undefined ? undefined : entry.auth_specification[mapped]
    const url = auth.api_base_url ?? bundle.apiBaseUrl?.[name] ?? entryAuth?.api_base_url
    return [name, url === undefined ? auth : { ...auth, api_base_url: url }] as const
  })
  const endpoints = types.flatMap(([, auth]) => [auth.authorization_url, auth.token_url])
  const hosts = [
    ...(entry['x-hosts'] ?? []),
    ...(bundle.hosts ?? []),
    ...endpoints.flatMap(getHost),
  ]
  const hasHosts = spec['x-hosts'] !== undefined || entry['x-hosts'] === undefined
  return {
    ...spec,
    auth_specification: Object.fromEntries(types),
    ...(hasHosts ? {} : { 'x-hosts': [...new Set(hosts)] }),
  }
}

/** None for a template, whose host the hosts of the entry cover. */
function getHost(url: unknown): string[] {
  const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined
  return host && /^[a-z0-9.-]+$/.test(host) ? [host] : []
}

/** A field may be the host of a URL only if its spec restricts its values. */
function addHostPatterns(spec: Spec): Spec {
  const urls = [spec, ...Object.values(spec.auth_specification)].flatMap((part) =>
    Object.values(part).filter((value): value is string => typeof value === 'string'),
  )
  const names = new Set(
    urls.flatMap((url) => [...url.matchAll(HOST_FIELD)].flatMap(([, name]) => name ?? [])),
  )
  const { other_inputs: others } = spec
  return {
    ...spec,
    auth_specification: Object.fromEntries(
      Object.entries(spec.auth_specification).map(([name, auth]) => [
        name,
        { ...auth, ...restrict(auth.input_specification, names) },
      ]),
    ) as Record<string, AuthSpecification>,
    ...(others === undefined
      ? {}
      : { other_inputs: { ...others, ...restrict(others.input_specification, names) } }),
  }
}

/** A field that is the whole host of a URL. */
const HOST_FIELD = /^https?:\/\/\$\{([A-Za-z0-9_.-]+)\}(?=[/?:]|$)/g
const HOST_PATTERN = '^[A-Za-z0-9][A-Za-z0-9-]*([.][A-Za-z0-9-]+)+$'

function restrict(
  inputs: InputSpecification | undefined,
  names: ReadonlySet<string>,
): { readonly input_specification?: InputSpecification } {
  if (!isObject(inputs?.properties)) return {}
  const properties = Object.entries(inputs.properties).map(([name, property]) => {
    const isFree =
      isObject(property) && property.pattern === undefined && property.enum === undefined
    return [name, names.has(name) && isFree ? { ...property, pattern: HOST_PATTERN } : property]
  })
  return { input_specification: { ...inputs, properties: Object.fromEntries(properties) } }
}
