import { compareVersions } from '@linchpin/catalogue'
import { Ajv } from 'ajv'
import { scanJson } from '../../../platform/http/json-body.ts'
import { once } from '../../../platform/once.ts'
import { findCategory } from '../../definitions/category.ts'
import type { OfferedIntegration } from '../offered-integration.ts'

/** The known fields of a registry document. */
export interface RegistryDocument {
  readonly version: 1
  readonly definitions: readonly RegistryDefinition[]
}

export interface RegistryDefinition {
  readonly key: string
  readonly name: string
  readonly icon: string
  readonly integrationType: { readonly key: string }
  readonly releaseStage: { readonly key: string }
  readonly version: string
  readonly versions: OfferedIntegration['versions']
}

const url = { type: 'string', maxLength: 2_048, pattern: '^https?://[^@\\s]+$' }
const version = { type: 'string', pattern: '^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$' }
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' }
/** The bytes that it makes must have the digest; then it is checked like any entry that is not of this release. */
const entry = {
  type: 'object',
  required: ['runtime'],
  properties: { runtime: { type: 'integer' } },
}
const keyedObject = (values: object) => ({
  type: 'object',
  required: ['key'],
  properties: { key: { type: 'string', ...values } },
})

/** Unknown fields are allowed and ignored. */
const REGISTRY_SCHEMA = {
  type: 'object',
  required: ['version', 'definitions'],
  properties: {
    version: { const: 1 },
    definitions: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['key', 'name', 'icon', 'integrationType', 'releaseStage', 'version', 'versions'],
        properties: {
          key: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,59}$' },
          name: {
            type: 'string',
            minLength: 1,
            maxLength: 100,
            pattern: '^[^\\p{C}]*\\S[^\\p{C}]*$',
          },
          icon: { anyOf: [{ const: '' }, url] },
          integrationType: keyedObject({ maxLength: 100 }),
          releaseStage: keyedObject({
            enum: ['ALPHA', 'BETA', 'GENERALLY_AVAILABLE', 'DEPRECATED'],
          }),
          version,
          versions: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: {
              type: 'object',
              required: ['version', 'sourceUrl', 'sha256'],
              properties: { version, sourceUrl: url, sha256, entry },
            },
          },
        },
      },
    },
  },
}

const getValidator = once(() =>
  new Ajv({ strict: false }).compile<RegistryDocument>(REGISTRY_SCHEMA),
)

/**
 * Parses a registry document. Rejects the whole document if any part is invalid.
 *
 * @returns its integrations with versions newest first, or an error message
 */
export function parseRegistryDocument(text: string): RegistryDocument | string {
  const value = parseJson(text)
  const isRegistryDocument = getValidator()
  if (!isRegistryDocument(value)) {
    const [error] = isRegistryDocument.errors ?? []
    return `The registry document is invalid: ${error?.instancePath || 'it'} ${error?.message}.`
  }
  const keys = value.definitions.map(({ key }) => key)
  const duplicateKey = keys.find((key, index) => keys.indexOf(key) !== index)
  if (duplicateKey !== undefined) return `The registry document contains ${duplicateKey} twice.`
  const inconsistentDefinition = value.definitions.find((definition) => !isConsistent(definition))
  if (inconsistentDefinition !== undefined)
    return `In the registry document, ${inconsistentDefinition.key} has an unknown category, a repeated version, or a version missing from its list.`
  return {
    version: 1,
    definitions: value.definitions.map((definition) => ({
      ...definition,
      versions: definition.versions.toSorted((one, other) =>
        compareVersions(other.version, one.version),
      ),
    })),
  }
}

function isConsistent({
  integrationType,
  version: currentVersion,
  versions,
}: RegistryDefinition): boolean {
  const versionNumbers = versions.map((each) => each.version)
  return (
    findCategory(integrationType.key)?.key === integrationType.key &&
    versionNumbers.includes(currentVersion) &&
    new Set(versionNumbers).size === versionNumbers.length
  )
}

function parseJson(text: string): unknown {
  try {
    scanJson(Buffer.from(text))
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
