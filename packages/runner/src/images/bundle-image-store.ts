/**
 * Images of loaded bundles, by the SHA-256 of their code, so that a process need not compile them. No method rejects:
 * without an image the code is compiled.
 */
export interface BundleImageStore {
  /** @returns undefined if there is no image, or none that was made by this version of the sandbox and with this key */
  read(sha256: string): Promise<Uint8Array | undefined>
  write(sha256: string, image: Uint8Array): Promise<void>
}
