import { isDeepStrictEqual } from 'node:util'
import type { ConfigFields } from './config-fields.ts'
import { redactConfig } from './redact-config.ts'

type Config = Readonly<Record<string, unknown>>

/** How a configuration differs from the stored one that it is based on. Names only, never values. */
export interface ConfigChange {
  /** Fields whose value differs from the stored one, and fields that were added or removed. */
  readonly changed: readonly string[]
  /** Stored secrets that the new configuration reuses without the caller having sent them. */
  readonly reused: readonly string[]
}

/** The configurations to compare. */
export interface ConfigMerge {
  readonly stored: Config
  /** What the caller sent. A stored secret included here counts as sent even if its value is unchanged. */
  readonly sent: Config
  /** The result of merging both. */
  readonly merged: Config
}

/**
 * Compares a merged configuration with the stored one. A nested value is compared as a whole. A value counts as
 * secret unless responses may show it (`redactConfig`), it is empty, or it is a parameter that describes a token.
 */
export function compareConfig(
  { stored, sent, merged }: ConfigMerge,
  fields: ConfigFields,
): ConfigChange {
  const names = new Set([...Object.keys(stored), ...Object.keys(merged)])
  const changed = [...names].filter(
    (name) => !isDeepStrictEqual(valueAt(stored, name), valueAt(merged, name)),
  )
  const reused = Object.keys(stored).filter(
    (name) =>
      isSecret(name, stored[name], fields) &&
      !Object.hasOwn(sent, name) &&
      Object.hasOwn(merged, name),
  )
  return { changed: changed.sort(), reused: reused.sort() }
}

function valueAt(config: Config, name: string): unknown {
  return Object.hasOwn(config, name) ? (config[name] ?? undefined) : undefined
}

function isSecret(name: string, value: unknown, fields: ConfigFields): boolean {
  if (value === undefined || value === null || value === '') return false
  if (TOKEN_PARAMETERS.has(name) && !fields.properties.has(name)) return false
  return !Object.hasOwn(redactConfig({ [name]: value }, fields), name)
}

/** Parameters of a token response that are not credentials (RFC 6749 section 5.1). */
const TOKEN_PARAMETERS: ReadonlySet<string> = new Set(['scope', 'scopes', 'token_type'])
