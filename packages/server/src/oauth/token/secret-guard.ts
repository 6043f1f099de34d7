import type { GuardedSecret } from '@linchpin/runner'
import type { OAuthClient } from './client-request.ts'

/** Guards a client secret in one call of a bundle, or a few of one attempt. */
export interface SecretGuard extends GuardedSecret {
  /** Throws the refusal in place of the error or the answer that followed from it; does nothing when all requests were allowed. */
  throwRefusal(): void
}

/** Undefined: the client has no secret. */
export function guardSecret(client: OAuthClient | undefined): SecretGuard | undefined {
  if (client?.clientSecret === undefined) return undefined
  const { clientSecret: value, endpoints } = client
  let refused: Promise<void> | undefined
  let refusal: unknown
  const refuse = async (url: string) => {
    try {
      await endpoints.requireAllowed(url)
    } catch (error) {
      refusal = error
      throw error
    }
  }
  return {
    value,
    async requireAllowed(url) {
      if (endpoints.allows(url)) return
      // A call that tries several endpoints is recorded once.
      refused ??= refuse(url)
      await refused
    },
    throwRefusal() {
      if (refusal !== undefined) throw refusal
    },
  }
}
