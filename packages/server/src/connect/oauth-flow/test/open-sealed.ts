import assert from 'node:assert/strict'
import type { TestApp } from '../../../../test/test-app.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault, type Vault } from '../../../platform/vault/vault.ts'

/** Decrypts a sealed column with the key of the tests. */
export async function openSealed(
  { database }: TestApp,
  encryptionContext: Parameters<Vault['openText']>[0],
  sealed: Uint8Array | null,
): Promise<Record<string, unknown>> {
  assert.ok(sealed)
  const keys = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
  const vault = createVault({ database, keys, now: Date.now })
  return JSON.parse(await vault.openText(encryptionContext, sealed)) as Record<string, unknown>
}
