import type { ProviderRequest } from './exchange.ts'
import { escapePattern } from './url-pattern.ts'

/** The values of credentials by their names in a template. */
export type Credentials = Readonly<Record<string, string>>

/**
 * The credentials in a request, read with templates such as `Authorization: Basic ${email}:${api_key}` and `?key=${secret}`.
 * Undefined unless it has all of them.
 */
export function readCredentials(
  request: ProviderRequest,
  templates: readonly string[],
): Credentials | undefined {
  const found: Record<string, string> = {}
  for (const line of templates) {
    const [, query = '', name = '', template = ''] = /^(\??)([\w-]+)(?:: |=)(.*)$/s.exec(line) ?? []
    const sent =
      query === '' ? request.headers[name.toLowerCase()] : request.url.searchParams.get(name)
    const values = sent == null ? undefined : matchTemplate(template, sent)
    if (values === undefined) return undefined
    Object.assign(found, values)
  }
  return found
}

/** Basic credentials are compared in plain text; OAuth encodes both parts first (RFC 6749, section 2.3.1). */
function matchTemplate(template: string, sent: string): Credentials | undefined {
  const [, inner] = /^Basic (.*:.*)$/s.exec(template) ?? []
  if (inner === undefined)
    return hasSpace(sent) && !hasSpace(template) ? undefined : match(template, sent)
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(sent) ?? []
  if (encoded === undefined) return undefined
  return match(inner, Buffer.from(encoded, 'base64').toString())
}

/** Whether there is more than a scheme and one value. */
function hasSpace(text: string): boolean {
  return /\s/.test(text.replace(/^[\w-]+ /, ''))
}

/** Letter case of the scheme does not count (RFC 9110, section 11.1). */
function match(template: string, sent: string): Credentials | undefined {
  const names: string[] = []
  const pattern = template
    .split(/(\$\{[\w.-]+\})/)
    .map((part) => {
      const [, name] = /^\$\{([\w.-]+)\}$/.exec(part) ?? []
      if (name === undefined) return escapePattern(part)
      names.push(name)
      return '(.+?)'
    })
    .join('')
  const isScheme = /^[A-Za-z-]+ /.test(template)
  const values = new RegExp(`^${pattern}$`, isScheme ? 'is' : 's').exec(sent)
  // A template without a scheme does not stand for a value with one.
  if (values === null || (!isScheme && /^(?:Bearer|Basic|Token) /i.test(sent))) return undefined
  return Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? '']))
}

/**
 * Whether a key, password or secret that a customer enters is accepted: every value, except one that contains `wrong`, a token that
 * was issued for something else, and what programs send by mistake.
 */
export function isAccepted(value: string): boolean {
  return !/wrong|^emulated-(?:access|refresh|code)-|^(?:undefined|null|NaN|\[object Object\])$|\$\{/i.test(
    value,
  )
}

/** The client of a token request: in the header (RFC 6749, section 2.3.1), in the body, or in both. */
export function readClient(request: ProviderRequest, params: Readonly<Record<string, unknown>>) {
  const [, encoded = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  const header = encoded === '' ? undefined : { id: decode(id), secret: decode(secret.join(':')) }
  const { client_id, client_secret } = params
  const body =
    client_secret === undefined ? undefined : { id: `${client_id}`, secret: `${client_secret}` }
  return { header, body }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
