import { Lru } from './lru.ts'

/** The codes that a child has cached. A missing code is requested once, however many calls wait for it. */
export class CodeCache {
  readonly #cached = new Lru<string>(16, 32 * 1024 * 1024)
  /** By digest: those who accept an image instead, and those who do not. */
  readonly #pending: readonly [Pending, Pending] = [new Map(), new Map()]

  /**
   * Returns undefined if the host has sent an image instead, which it may only with `acceptsImage`. Rejects when the host
   * cannot load the code.
   */
  get(sha256: string, acceptsImage: boolean, requestCode: () => void): Promise<string | undefined> {
    const cached = this.#cached.get(sha256)
    if (cached !== undefined) return Promise.resolve(cached)
    const waiting = this.#pending[acceptsImage ? 0 : 1]
    let pending = waiting.get(sha256)
    if (pending === undefined) {
      pending = Promise.withResolvers()
      waiting.set(sha256, pending)
      requestCode()
    }
    return pending.promise
  }

  /** The host's response; without code if it could not be loaded. */
  provide(sha256: string, code: string | undefined): void {
    if (code !== undefined) this.#cached.set(sha256, code, 2 * code.length)
    for (const waiting of this.#pending) {
      const pending = waiting.get(sha256)
      waiting.delete(sha256)
      if (code === undefined) pending?.reject(new Error('the code is not available'))
      else pending?.resolve(code)
    }
  }

  /** The host has sent an image instead. */
  provideImage(sha256: string): void {
    const [waiting] = this.#pending
    waiting.get(sha256)?.resolve(undefined)
    waiting.delete(sha256)
  }
}

type Pending = Map<string, PromiseWithResolvers<string | undefined>>
