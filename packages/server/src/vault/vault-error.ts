/**
 * What went wrong with a key or a sealed value.
 *
 * - `unknown_key`: the key that sealed it is not in the key ring, or the workspace has no key.
 * - `wrong_key`: the key ring has a key of this id, but with other bytes.
 * - `tampered`: the bytes were changed, or belong to another row, column or workspace.
 */
export type VaultErrorKind = 'unknown_key' | 'wrong_key' | 'tampered'

/** A refusal of the vault. Names keys and places, never values. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  readonly kind: VaultErrorKind

  constructor(kind: VaultErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
