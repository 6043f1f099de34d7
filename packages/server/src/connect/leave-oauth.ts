import type { FastifyReply } from 'fastify'
import type { OAuthAttemptRow } from '../storage/tables.ts'
import { reachOf } from './attempt-context.ts'
import type { ConnectDeps } from './connect-deps.ts'
import type { Outcome } from './oauth-callback.ts'
import { workspaceName } from './oauth-page.ts'
import { donePage, failedPage } from './pages.ts'
import { returnUrl } from './redirect-url.ts'
import { sendOn, sendPage } from './send-page.ts'

/** Sends the person back to where they came from with the outcome, or shows it on a page of ours. */
export async function leaveOAuth(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
  outcome: Outcome,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reach = reachOf(attempt)
  const definition = await deps.definitions.find(reach, attempt.definition_id)
  const workspace = await deps.workspaces.find(reach, attempt.workspace_id)
  const tool = definition?.name ?? ''
  const failed = 'code' in outcome
  if (attempt.redirect_url !== null)
    return sendOn(
      reply,
      returnUrl(attempt.redirect_url, {
        success: String(!failed),
        integrationName: tool,
        accountIdentifier: attempt.account_identifier,
        ...(failed
          ? { error: outcome.code }
          : {
              integrationAccountId: outcome.accountId,
              confirmToken: outcome.confirmToken ?? null,
            }),
      }),
    )
  const host = workspace === undefined ? '' : workspaceName(workspace)
  return failed
    ? sendPage(reply, 400, failedPage(outcome.code, tool, host))
    : sendPage(reply, 200, donePage(tool, host))
}
