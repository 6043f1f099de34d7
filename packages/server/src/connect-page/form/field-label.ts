import type { InputProperty } from '@linchpin/runner'

const MAX_LABEL = 100
/** Words that are written in upper case. */
const UPPERCASE_WORDS = new Set([
  'api',
  'id',
  'url',
  'uri',
  'pat',
  'sid',
  'pin',
  'ssl',
  'aws',
  'sso',
])

/** The label of a field: its title, else its name as words (`api_key` → "API key"). */
export function fieldLabel(name: string, { title }: InputProperty): string {
  const explicitTitle = typeof title === 'string' ? title.trim() : ''
  return (explicitTitle === '' ? humanize(name) : explicitTitle).slice(0, MAX_LABEL)
}

function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
    .map((word) => (UPPERCASE_WORDS.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words === '' ? name : words.replace(/^./u, (firstLetter) => firstLetter.toUpperCase())
}
