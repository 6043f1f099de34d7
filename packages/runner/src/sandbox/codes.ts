import { Lru } from './lru.ts'

/** The codes that a child holds. One that it does not hold is asked for once, however many calls wait for it. */
export class Codes {
  readonly #held = new Lru<string>(16, 32 * 1024 * 1024)
  readonly #awaited = new Map<string, PromiseWithResolvers<string>>()

  /** Rejects when the host cannot give the code. */
  get(sha256: string, ask: () => void): Promise<string> {
    const held = this.#held.get(sha256)
    if (held !== undefined) return Promise.resolve(held)
    let awaited = this.#awaited.get(sha256)
    if (awaited === undefined) {
      awaited = Promise.withResolvers()
      this.#awaited.set(sha256, awaited)
      ask()
    }
    return awaited.promise
  }

  /** The host's answer; no code when it has none. */
  give(sha256: string, code: string | undefined): void {
    const awaited = this.#awaited.get(sha256)
    this.#awaited.delete(sha256)
    if (code === undefined) {
      awaited?.reject(new Error('the code is not to be had'))
    } else {
      this.#held.set(sha256, code, 2 * code.length)
      awaited?.resolve(code)
    }
  }
}
