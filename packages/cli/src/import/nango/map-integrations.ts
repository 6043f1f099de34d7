import type { IntegrationDefinition } from '@linchpin/sdk'
import { PROVIDER_MAPS } from './provider-maps.ts'

/** Definitions by the keys of Nango's integrations (`provider_config_key`). */
export type IntegrationMap = ReadonlyMap<string, string>

/**
 * Parses the values of `--map`: `integration=definition`, or the content of a file that has one per line or is a JSON
 * object. Empty lines and lines that begin with `#` count for nothing.
 *
 * @throws TypeError which names the entry
 */
export function parseMap(values: readonly string[]): IntegrationMap {
  const map = new Map<string, string>()
  for (const value of values)
    for (const [integration, definition] of value.trimStart().startsWith('{')
      ? parseObject(value)
      : value.split('\n').flatMap(parseLine))
      map.set(integration, definition)
  return map
}

function parseObject(text: string): [string, string][] {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    if (entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
      return entries
  } catch {}
  throw new TypeError('--map: the file must be a JSON object of texts')
}

function parseLine(line: string): [string, string][] {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return []
  const index = text.lastIndexOf('=')
  const entry: [string, string] = [text.slice(0, index).trim(), text.slice(index + 1).trim()]
  if (index < 1 || entry[1] === '')
    throw new TypeError(`--map: ${JSON.stringify(text)} must be integration=definition`)
  return [entry]
}

/**
 * The definition for an integration: the mapped one, else the only one whose key is that of the integration, of its
 * provider or of the entry of the catalogue for its provider. Undefined if there is none.
 *
 * @throws TypeError for a mapped definition that does not exist
 */
export function findDefinition(
  { provider_config_key: key, provider }: { provider_config_key: string; provider: string },
  map: IntegrationMap,
  definitions: readonly IntegrationDefinition[],
): IntegrationDefinition | undefined {
  const target = map.get(key)
  if (target !== undefined) {
    const found = definitions.find((one) => [one.integrationDefinitionId, one.key].includes(target))
    if (found === undefined)
      throw new TypeError(`--map: there is no definition ${JSON.stringify(target)}`)
    return found
  }
  const entry = Object.hasOwn(PROVIDER_MAPS, provider) ? PROVIDER_MAPS[provider] : undefined
  for (const name of [key, provider, entry?.definition ?? provider]) {
    const [match, ...others] = definitions.filter((one) => normalize(one.key) === normalize(name))
    if (match !== undefined && others.length === 0) return match
  }
  return undefined
}

const normalize = (text = '') => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
