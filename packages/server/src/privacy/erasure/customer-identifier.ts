import { createHmac } from 'node:crypto'
import type { Vault, WorkspaceSealContext } from '../../platform/vault/vault.ts'
import type { Customer, Erasure } from './erasure.ts'

/** Names a customer in receipts and in the audit trail, for those who know the identifier and have the key ring. */
export function hashIdentifier(vault: Vault, { workspaceId, identifier }: Customer): Uint8Array {
  const hmac = createHmac('sha256', vault.deriveKey('erased customers'))
  return hmac.update(`${workspaceId}\0${identifier}`).digest()
}

/** The context of the identifier of a running erasure. */
export function getIdentifierContext({
  workspaceId,
  identifierHash,
}: Pick<Erasure, 'workspaceId' | 'identifierHash'>): WorkspaceSealContext {
  const rowId = Buffer.from(identifierHash).toString('hex')
  return { table: 'erasures', column: 'sealed_identifier', workspaceId, rowId }
}
