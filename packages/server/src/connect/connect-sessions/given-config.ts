import { fieldError, validationFailed } from '../../platform/errors.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { ConnectSession, GivenField } from './connect-session.ts'
import type { CreateConnectSession } from './connect-session-requests.ts'

/** The values that a session gives, by field. */
export type GivenValues = Readonly<Record<string, string | number | boolean>>

/**
 * Parses the given values of a new session.
 *
 * @throws ApiError `validation_failed` for values that no form has, and hidden fields without a value
 */
export function parseGivenConfig({ config, hiddenConfig }: CreateConnectSession): {
  readonly fields: readonly GivenField[]
  readonly values: GivenValues
} {
  const entries = Object.entries(config ?? {})
  const values: Record<string, string | number | boolean> = {}
  for (const [name, value] of entries) {
    values[name] = parseGivenValue(name, value)
  }
  const hidden = new Set(hiddenConfig ?? [])
  for (const name of hidden)
    if (!Object.hasOwn(values, name))
      throw validationFailed(
        fieldError('hiddenConfig', 'invalid', 'Must list only fields of config.'),
      )
  const fields = entries.map(([name]) => ({ name, hidden: hidden.has(name) }))
  return { fields, values }
}

function parseGivenValue(name: string, value: unknown): string | number | boolean {
  const invalid = (message: string) =>
    validationFailed(fieldError(`config.${name}`, 'invalid', message))
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string') throw invalid('Must be a text, a number or a boolean.')
  if (value.length > MAX_LENGTH) throw invalid(`Must NOT have more than ${MAX_LENGTH} characters.`)
  if (value.includes('\0')) throw invalid('Must not contain NUL.')
  return value
}

/** As for a token: what accounts can have, sessions can give. */
const MAX_LENGTH = 16_384

type SessionKey = Pick<ConnectSession, 'connectSessionId' | 'workspaceId'>

/** Encrypts the given values; null without any. */
export async function sealGivenConfig(
  vault: Vault,
  session: SessionKey,
  values: GivenValues,
): Promise<Uint8Array | null> {
  if (Object.keys(values).length === 0) return null
  return vault.seal(createEncryptionContext(session), JSON.stringify(values))
}

/** Decrypts the given values of a session. @throws VaultError if they were modified or moved */
export async function openGivenConfig(vault: Vault, session: ConnectSession): Promise<GivenValues> {
  if (session.sealedConfig === null) return {}
  const text = await vault.openText(createEncryptionContext(session), session.sealedConfig)
  return JSON.parse(text) as GivenValues
}

function createEncryptionContext({ connectSessionId, workspaceId }: SessionKey) {
  return {
    table: 'connect_sessions',
    column: 'sealed_config',
    workspaceId,
    rowId: connectSessionId,
  }
}
