import type { GuardedSecret } from '@linchpin/runner'
import type { OAuthClient } from './client-request.ts'

/** Guards a client secret during one or more calls of a bundle. */
export interface SecretGuard extends GuardedSecret {
  /** Throws the error of a denied request, which takes precedence over the call's own result. No-op if all were allowed. */
  throwIfDenied(): void
}

/** Undefined if the client has no secret. */
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
      // Record one denial even if the call tries several endpoints.
      denial ??= checkEndpoint(url)
      await denial
    },
    throwIfDenied() {
      if (deniedError !== undefined) throw deniedError
    },
  }
}
