import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import { quote } from './quote.ts'

/** Returns what is wrong with the base URL of an API and its `${name}`; undefined if it is valid. */
export function findBaseUrlError(baseUrl: string): string | undefined {
  const isSelfHosted = /^\$\{base_url\}(?=\/|$)/.test(baseUrl)
  const expandedUrl = baseUrl.replace(/^\$\{base_url\}(?=\/|$)/, 'https://host.example')
  const [, host = ''] = /^https:\/\/([^/]*)/.exec(expandedUrl) ?? []
  const sampleUrl = expandedUrl.replaceAll(PLACEHOLDER, 'x')
  if (/[\s'\\?#@]/.test(expandedUrl) || !/^https:/.test(expandedUrl) || !URL.canParse(sampleUrl))
    return 'must be an https URL without user and query, or start with ${base_url}'
  if (isSelfHosted || HOST.test(host.replace(/^\$\{[a-z]\w*\}\./, 'x.').toLowerCase()))
    return undefined
  return 'must contain a host name, in which only the first label may be a field: https://${subdomain}.acme.example'
}

/** The origin of a base URL, as a template. */
export function getOriginTemplate(baseUrl: string): string {
  return /^(\$\{base_url\}|https:\/\/[^/]+)/.exec(baseUrl)?.[1] ?? baseUrl
}

/** Normalizes a base URL: the host in lower case, without a trailing slash. */
export function normalizeBaseUrl(baseUrl: string): string {
  const origin = getOriginTemplate(baseUrl)
  const isFixed = !origin.includes('${')
  return ((isFixed ? origin.toLowerCase() : origin) + baseUrl.slice(origin.length)).replace(
    /\/+$/,
    '',
  )
}

/** The source lines for hosts, base URL and the fields in it, and their imports. */
export function renderBaseUrl(baseUrl: string): { imports: string[]; lines: string[] } {
  const host = getOriginTemplate(baseUrl).replace(/^https:\/\/|:\d+$/g, '')
  const names = [...new Set([...baseUrl.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
  const inputs = names.map((name) => renderInput(name, host.includes(`\${${name}}`)))
  const isSelfHosted = host === '${base_url}'
  const hosts = isSelfHosted
    ? "hosts: 'any',"
    : `hosts: [${quote(host.replace(/^\$\{\w+\}/, '*'))}],`
  return {
    imports: [
      ...(isSelfHosted ? ['url'] : []),
      ...(names.some((name) => name !== 'base_url') ? ['text'] : []),
    ],
    lines: [
      hosts,
      ...(baseUrl === `https://${host}` && names.length === 0
        ? []
        : [`apiBaseUrl: ${quote(baseUrl)},`]),
      ...(inputs.length === 0 ? [] : ['inputs: {', ...inputs.map((line) => `  ${line}`), '},']),
    ],
  }
}

const PLACEHOLDER = /\$\{([a-z]\w*)\}/g
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?$/

function renderInput(name: string, isInHost: boolean): string {
  if (name === 'base_url')
    return "base_url: url('Address', { placeholder: 'https://acme.example' }),"
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ')
  const pattern = isInHost ? ", pattern: '^[a-z0-9][a-z0-9-]{0,62}$'" : ''
  const help = `help: ${quote(PLACEHOLDERS.help)}`
  return `${name}: text(${quote(title)}, { ${help}, placeholder: 'acme'${pattern} }),`
}
