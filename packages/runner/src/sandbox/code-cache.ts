import { Lru } from './lru.ts'

/** The codes that a child has cached. A missing code is requested once, however many calls wait for it. */
export class CodeCache {
  readonly #cached = new Lru<string>(16, 32 * 1024 * 1024)
  readonly #pending = new Map<string, PromiseWithResolvers<string>>()

  /** Rejects when the host cannot load the code. */
  get(sha256: string, requestCode: () => void): Promise<string> {
    const cached = this.#cached.get(sha256)
    if (cached !== undefined) return Promise.resolve(cached)
    let pending = this.#pending.get(sha256)
    if (pending === undefined) {
      pending = Promise.withResolvers()
      this.#pending.set(sha256, pending)
      requestCode()
    }
    return pending.promise
  }

  /** The host's response; without code if it could not be loaded. */
  provide(sha256: string, code: string | undefined): void {
    const pending = this.#pending.get(sha256)
    this.#pending.delete(sha256)
    if (code === undefined) {
      pending?.reject(new Error('the code is not available'))
    } else {
      this.#cached.set(sha256, code, 2 * code.length)
      pending?.resolve(code)
    }
  }
}
