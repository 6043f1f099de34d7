import { webhookHandler } from '@linchpin/sdk/webhooks'
import type { Changes } from './changes.ts'
import type { Handler } from './http.ts'

/** Receives the events of Linchpin. A request without a valid signature is answered with 401. */
export function createWebhook(secret: string, changes: Changes): Handler {
  return webhookHandler({
    keys: secret,
    // Use a table of your database: events that were handled are ignored.
    seen: new Set(),
    on: {
      '*': ({ type, accountIdentifier }) => {
        console.log(`Webhook: ${type} of ${accountIdentifier}`)
        if (accountIdentifier !== null) changes.publish(accountIdentifier)
      },
    },
  })
}
