import { quote } from './quote.ts'

/** What is wrong with the base URL of an API, and its `${name}`; undefined when nothing is. */
export function placeFault(baseUrl: string): string | undefined {
  const isOwn = /^\$\{base_url\}(?=\/|$)/.test(baseUrl)
  const whole = baseUrl.replace(/^\$\{base_url\}(?=\/|$)/, 'https://host.example')
  const [, host = ''] = /^https:\/\/([^/]*)/.exec(whole) ?? []
  const shown = whole.replaceAll(NAME, 'x')
  if (/[\s'\\?#@]/.test(whole) || !/^https:/.test(whole) || !URL.canParse(shown))
    return 'is an https URL without user and query, or begins with ${base_url}'
  if (isOwn || HOST.test(host.replace(/^\$\{[a-z]\w*\}\./, 'x.').toLowerCase())) return undefined
  return 'has the name of a host, in which only the first part may be a field: https://${subdomain}.acme.example'
}

/** The origin of a base URL, as a template. */
export function originOf(baseUrl: string): string {
  return /^(\$\{base_url\}|https:\/\/[^/]+)/.exec(baseUrl)?.[1] ?? baseUrl
}

/** A base URL as it is written: the host in lower case, and no slash at the end. */
export function plainPlace(baseUrl: string): string {
  const origin = originOf(baseUrl)
  const isFixed = !origin.includes('${')
  return ((isFixed ? origin.toLowerCase() : origin) + baseUrl.slice(origin.length)).replace(
    /\/+$/,
    '',
  )
}

/** Where the provider is: the lines for hosts, base URL and the fields in it, and what they import. */
export function writePlace(baseUrl: string): { imports: string[]; lines: string[] } {
  const host = originOf(baseUrl).replace(/^https:\/\/|:\d+$/g, '')
  const names = [...new Set([...baseUrl.matchAll(NAME)].map(([, name = '']) => name))]
  const inputs = names.map((name) => writeInput(name, host.includes(`\${${name}}`)))
  const isOwn = host === '${base_url}'
  const hosts = isOwn ? "hosts: 'any'," : `hosts: [${quote(host.replace(/^\$\{\w+\}/, '*'))}],`
  return {
    imports: [
      ...(isOwn ? ['url'] : []),
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

const NAME = /\$\{([a-z]\w*)\}/g
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?$/

function writeInput(name: string, isInHost: boolean): string {
  if (name === 'base_url')
    return "base_url: url('Address', { placeholder: 'https://acme.example' }),"
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ')
  const pattern = isInHost ? ", pattern: '^[a-z0-9][a-z0-9-]{0,62}$'" : ''
  const help = "help: 'Say here where people find it.'"
  return `${name}: text(${quote(title)}, { ${help}, placeholder: 'acme'${pattern} }),`
}
