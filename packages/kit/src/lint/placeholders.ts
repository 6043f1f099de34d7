import type { Definition } from '../definition.ts'

/** What `new` writes where only the author knows the text or URL. An integration that still has one is not published. */
export const PLACEHOLDERS = {
  docs: 'https://example.com/docs',
  help: 'Explain where to find it.',
  hint: 'State what the credentials must be allowed to do.',
  /** The path of every URL that only the provider's documentation states. */
  path: '/placeholder/',
} as const

/** Returns one sentence per placeholder of `new` that an integration still has; empty if there is none. */
export function lintPlaceholders(definition: Definition): string[] {
  const found = listTexts(definition).filter(([, text]) => isPlaceholder(text))
  // An OAuth method lists its URLs a second time, for the lint of hosts.
  const distinct = found.filter(
    ([names, text], at) =>
      names.at(-1) !== 'url' || !found.slice(0, at).some(([, earlier]) => earlier === text),
  )
  return distinct.map(
    ([names, text]) => `${names.join('.')} is the placeholder "${text}": ${getInstruction(names)}.`,
  )
}

type NamedText = readonly [names: readonly string[], text: string]

/** Every text of a definition, under the names that its author writes. */
function listTexts(value: unknown, names: readonly string[] = []): NamedText[] {
  if (typeof value === 'string') return [[names, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    // What a field shows while it is empty is an example on purpose.
    if (key === 'x-placeholder') return []
    const name = AUTHOR_NAMES[key] ?? key
    const isOmitted = name === '' || (names.at(-1) === 'url' && Array.isArray(value))
    return listTexts(member, isOmitted ? names : [...names, name])
  })
}

/** The names of options, by where the kit puts them; empty for a level that the author does not write. */
const AUTHOR_NAMES: Readonly<Record<string, string>> = {
  property: '',
  spec: '',
  urls: 'url',
  description: 'help',
  'x-help-url': 'helpUrl',
  'x-i18n': 'i18n',
  authorization_url: 'authorizationUrl',
  token_url: 'tokenUrl',
  refresh_url: 'refreshUrl',
  revocation_url: 'revocationUrl',
  pushed_authorization_request_url: 'parUrl',
}

function isPlaceholder(text: string): boolean {
  const normalized = normalize(text)
  if (normalized === normalize(PLACEHOLDERS.help) || normalized === normalize(PLACEHOLDERS.hint))
    return true
  return (
    /^(?:https:\/\/|\$\{)/.test(text) &&
    (EXAMPLE_HOST.test(text) || text.includes(PLACEHOLDERS.path))
  )
}

/** The host of the placeholder of `docs`, which belongs to no provider (RFC 2606, section 3). */
const EXAMPLE_HOST = /^https:\/\/(?:[\w-]+\.)*example\.(?:com|net|org)(?:[/:?#]|$)/i

function normalize(text: string): string {
  return text.trim().replace(/\.$/, '').toLowerCase()
}

function getInstruction(names: readonly string[]): string {
  const last = names.at(-1)
  if (last === 'docs') return "write the URL of the provider's documentation of authentication"
  if (last === 'help') return 'write where a person finds this value at the provider'
  if (last === 'hint') return 'write what the credentials must be allowed to do at the provider'
  return "write the URL from the provider's documentation"
}
