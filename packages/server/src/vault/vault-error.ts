/**
 * What is wrong with a key or a sealed value.
 *
 * - `unknown_key`: the key that encrypted it is not in the key ring, or the workspace has no key.
 * - `wrong_key`: the key ring has a key with this id but with different bytes.
 * - `tampered`: the bytes were modified, or belong to another row, column or workspace.
 */
export type VaultErrorKind = 'unknown_key' | 'wrong_key' | 'tampered'

/** An error of the vault. Messages name keys and contexts, never values. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  readonly kind: VaultErrorKind

  constructor(kind: VaultErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
