import type { ConfirmOAuth, IntegrationAccount, StartedOAuth, StartOAuth } from '../api-types.ts'
import { Group } from '../group.ts'
import type { RequestOptions } from '../send.ts'

/** Connecting an account by signing in at the provider. */
export class OAuth extends Group {
  /** Starts a sign-in. Redirect the person to the `redirectURL` of the response. */
  start(body?: StartOAuth, options?: RequestOptions): Promise<StartedOAuth> {
    return this.sendPost('/oauth', body, options)
  }

  /** Confirms that the person who signed in is the one whom you sent. The account is active then. */
  confirm(body: ConfirmOAuth, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/oauth/confirm', body, options)
  }
}
