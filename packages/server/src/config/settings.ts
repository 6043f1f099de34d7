/**
 * The environment, read once (design section 5). Every setting stands in one table with its default and meaning;
 * `.env.example` is held true against it. All mistakes are reported together, in sentences.
 */

/** What a setting does with its text. A thrown Error's message completes "NAME: …". */
export interface Setting<Value> {
  readonly default: string
  readonly meaning: string
  readonly parse: (text: string) => Value
}

/** Parsers that belong to other parts: each throws an Error whose message lists its mistakes. */
export interface ConfigParsers<Keys, Allow> {
  readonly keys: (text: string) => Keys
  readonly allowList: (text: string) => readonly Allow[]
  readonly isToken: (text: string) => boolean
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** The table of settings. */
export function settings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    PORT: setting('3000', 'Where to listen. 0 picks a free port.', port),
    HOST: setting('127.0.0.1', 'The address to listen on.', plain),
    LINCHPIN_PUBLIC_URL: setting(
      '',
      'Base URL in links and callbacks. Default: http://localhost:PORT. Beyond loopback it must be https.',
      optional(publicUrl),
    ),
    LINCHPIN_TRUST_PROXY: setting(
      '',
      'Addresses or CIDRs of proxies whose forwarded headers count, comma-separated.',
      addresses,
    ),
    LINCHPIN_DATA_DIR: setting(
      './data',
      'Folder of the embedded database, the key file and the owner token.',
      plain,
    ),
    DATABASE_URL: setting(
      '',
      'postgres://… uses PostgreSQL instead of the embedded database.',
      optional(postgresUrl),
    ),
    LINCHPIN_TOKEN: setting(
      '',
      "The owner's token. With DATABASE_URL it is required at first start.",
      optional((text) => {
        if (!parsers.isToken(text))
          throw new Error(
            'is not a well-formed token (lp_…). Make one with `npm run token -- --new`.',
          )
        return text
      }),
    ),
    LINCHPIN_OWNER_EMAIL: setting('owner@localhost', 'E-mail of the first user.', email),
    LINCHPIN_KEYS: setting(
      '',
      'Key ring: comma-separated id:base64(32 bytes); the first seals, all open. Default: a key file in the data folder.',
      optional(parsers.keys),
    ),
    LINCHPIN_EGRESS_ALLOW: setting(
      '',
      'Private CIDRs or address:port that outgoing requests may reach, each optionally limited by source=, bundle=, oauth=.',
      parsers.allowList,
    ),
    LINCHPIN_EGRESS_PROXY: setting('', 'HTTP proxy for every outgoing request.', optional(httpUrl)),
    LINCHPIN_EGRESS_PROXY_RESOLVES: setting(
      '0',
      '1 trusts that proxy to resolve and judge names.',
      flag,
    ),
    LINCHPIN_REGISTRY_URL: setting(
      '',
      'The registry of definitions. Default: the built-in one.',
      optional(openUrl),
    ),
    LINCHPIN_LOG_LEVEL: setting('info', `One of ${LOG_LEVELS.join(', ')}.`, logLevel),
  }
}

function setting<Value>(
  fallback: string,
  meaning: string,
  parse: (text: string) => Value,
): Setting<Value> {
  return { default: fallback, meaning, parse }
}

function optional<Value>(parse: (text: string) => Value): (text: string) => Value | undefined {
  return (text) => (text === '' ? undefined : parse(text))
}

const plain = (text: string): string => text

function addresses(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  const wrong = items.filter((item) => item !== '' && !isAddressOrRange(item))
  if (wrong.length > 0) throw new Error('must be addresses or CIDRs, comma-separated.')
  return items.filter((item) => item !== '')
}

function isAddressOrRange(text: string): boolean {
  const [, address = '', bits = '0'] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const isV6 = address.includes(':')
  // A URL's host is judged, but "1.2.3" is an address there too.
  const isAddress = isV6 ? URL.canParse(`http://[${address}]`) : isDotted(address)
  return isAddress && Number(bits) <= (isV6 ? 128 : 32)
}

function isDotted(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && URL.canParse(`http://${text}`)
}

function port(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new Error('must be a port, 0 to 65535.')
  return value
}

function flag(text: string): boolean {
  if (!['0', '1', 'true', 'false'].includes(text)) throw new Error('must be 0 or 1.')
  return text === '1' || text === 'true'
}

function url(text: string, protocols: readonly string[]): URL {
  const parsed = URL.parse(text)
  if (parsed === null || !protocols.includes(parsed.protocol))
    throw new Error(
      `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}.`,
    )
  return parsed
}

const httpUrl = (text: string): URL => url(text, ['http:', 'https:'])

function postgresUrl(text: string): string {
  url(text, ['postgres:', 'postgresql:'])
  return text
}

function publicUrl(text: string): string {
  const parsed = httpUrl(text)
  const loopback = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname)
  if (parsed.protocol === 'http:' && !loopback) throw new Error('must be https beyond loopback.')
  if (parsed.search !== '' || parsed.hash !== '' || parsed.username + parsed.password !== '')
    throw new Error('must have no query, fragment or user name.')
  return parsed.href.replace(/\/+$/, '')
}

/** The gate sends no credentials of an address: it would never be had. */
function openUrl(text: string): URL {
  const parsed = httpUrl(text)
  if (parsed.username + parsed.password !== '')
    throw new Error('must have no user name or password.')
  return parsed
}

function email(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) throw new Error('must be an e-mail address.')
  return text
}

function logLevel(text: string): string {
  if (!LOG_LEVELS.includes(text)) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}.`)
  return text
}
