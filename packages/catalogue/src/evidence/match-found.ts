import type { Entry } from '@linchpin/kit/build'
import type { Fact } from './list-facts.ts'

/** Whether what a source says is the value of the entry. Letter case, schemes and slashes at the end do not count. */
export function matchesFound(entry: Entry, { path, value, kind }: Fact, found: string): boolean {
  const text = found.toLowerCase()
  switch (kind) {
    case 'url':
      return toPattern(normalizeUrl(String(value))).test(normalizeUrl(found))
    case 'path':
      return matchesPath(entry, path, String(value), found)
    case 'template': {
      const name = path.slice(path.lastIndexOf('.') + 1)
      return [name, ...fixedParts(String(value))].every((part) => text.includes(part.toLowerCase()))
    }
    case 'word':
      return hasWord(text, lastName(String(value)).toLowerCase())
    case 'basic':
      return /basic|-u |--user/.test(text)
    case 'rule':
      return typeof value === 'string'
        ? hasWord(text, lastName(value).toLowerCase())
        : matchesRule(listLeaves(value), text)
    case 'pattern':
      return new RegExp(String(value), 'u').test(found)
    case 'choice':
      return text.trim() !== ''
  }
}

/** A URL as the sources of facts write it: without scheme, query and slash at the end; `*` for what differs. */
export function normalizeUrl(url: string): string {
  return url
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[?#].*$/, '')
    .replaceAll(/\$\{[^}]*\}|\{\{[^}]*\}\}|\{[^}]*\}|<[^>]*>|(?<=\/):[a-z_]+/g, '*')
    .replaceAll(/\*+/g, '*')
    .replace(/\/+$/, '')
}

/** `*` of the entry stands for a value that the source may write out, such as a subdomain of an example. */
function toPattern(normalized: string): RegExp {
  const parts = normalized.split('*').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}

function matchesPath(entry: Entry, path: string, value: string, found: string): boolean {
  const method = /^(get|post|put|patch|delete|head)\s+/i.exec(found)?.[1]?.toLowerCase()
  if (method !== undefined && method !== path.slice(path.lastIndexOf('.') + 1)) return false
  const normalized = normalizeUrl(found.replace(/^[a-z]+\s+/i, ''))
  const base = normalizeUrl(findBase(entry, path))
  const isAbsolute = /^https:/.test(value)
  const full = normalizeUrl(isAbsolute ? value : `${base}${value}`)
  if (toPattern(full).test(normalized)) return true
  if (isAbsolute && firstHost(full) !== firstHost(base)) return false
  // A document often has the path alone, with or without that of the base.
  const isPath = found.replace(/^[a-z]+\s+/i, '').startsWith('/')
  return (
    isPath &&
    normalized.length > 1 &&
    toPattern(full).test(`${firstHost(full)}${basePath(full, normalized)}`)
  )
}

function basePath(full: string, path: string): string {
  const [, ...rest] = full.split('/')
  const whole = `/${rest.join('/')}`
  return whole.endsWith(path) ? whole : path
}

function firstHost(full: string): string {
  return full.split('/')[0] ?? ''
}

function findBase(entry: Entry, path: string): string {
  const [first, name = ''] = path.split('.')
  const own = first === 'auth' ? entry.auth[name]?.base : undefined
  return own ?? entry.base ?? (entry.hosts === 'any' ? '*' : (entry.hosts[0] ?? ''))
}

/** Sources have the names of a list, such as that of `fields`, in an order of their own. */
function fixedParts(template: string): string[] {
  return template
    .split(/\$\{[^}]*\}|,/)
    .map((part) => part.trim())
    .filter((part) => /[\w]/.test(part))
}

/** The name at the end of the path of a value: `data.user.id` is found as `id`. */
function lastName(path: string): string {
  const inTemplate = /\$\{([^}]*)\}\s*$/.exec(path)?.[1] ?? path
  if (/[/:\s]/.test(inTemplate)) return inTemplate
  return inTemplate.split('.').findLast((name) => !/^\d+$/.test(name)) ?? inTemplate
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?:^|[^\\w])${RegExp.escape(word)}(?:$|[^\\w])`).test(text)
}

/** A rule without values, such as an empty body, says only that there is one. */
function matchesRule(leaves: readonly string[], text: string): boolean {
  return leaves.length === 0 || leaves.some((leaf) => hasLeaf(text, leaf.toLowerCase()))
}

/** Documents write a query of GraphQL on several lines: its names count, in their order. */
function hasLeaf(text: string, leaf: string): boolean {
  if (!leaf.startsWith('{')) return hasWord(text, leaf)
  const names = leaf.match(/\w+/g) ?? []
  return new RegExp(names.join('\\W+')).test(text)
}

/** What a rule looks for: not what it concludes. */
function listLeaves(rule: unknown): string[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return listValues(rule)
  const { code, hint, means, field, ...conditions } = rule as Readonly<Record<string, unknown>>
  return listValues(conditions)
}

function listValues(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listValues)
  return [String(value)]
}
