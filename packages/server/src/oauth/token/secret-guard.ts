import type { GuardedSecret } from '@linchpin/runner'
import type { OAuthClient } from './client-request.ts'

/** Guards a client secret in one call of a bundle, or a few of one attempt. */
export interface SecretGuard extends GuardedSecret {
  /** Throws the refusal in place of the error or the answer that followed from it; does nothing when all requests were allowed. */
  throwIfDenied(): void
}

/** Undefined: the client has no secret. */
export function guardSecret(client: OAuthClient | undefined): SecretGuard | undefined {
  if (client?.clientSecret === undefined) return undefined
  const { clientSecret: value, endpoints } = client
  let denial: Promise<void> | undefined
  let deniedError: unknown
  const checkEndpoint = async (url: string) => {
    try {
      await endpoints.requireAllowed(url)
    } catch (error) {
      deniedError = error
      throw error
    }
  }
  return {
    value,
    async requireAllowed(url) {
      if (endpoints.allows(url)) return
      // A call that tries several endpoints is recorded once.
      denial ??= checkEndpoint(url)
      await denial
    },
    throwIfDenied() {
      if (deniedError !== undefined) throw deniedError
    },
  }
}
