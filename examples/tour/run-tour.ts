import { deleteSteps, runAccountSteps, runProxyStep } from './account-steps.ts'
import type { CallApi } from './api-caller.ts'
import { runDefinitionSteps } from './definition-steps.ts'
import { expectThat } from './expect-that.ts'
import { runInviteSteps, runLinkSteps } from './link-steps.ts'

/** Sends the requests of docs/tour.md, in its order. @throws UnexpectedResult */
export async function runTour(call: CallApi, providerUrl: string): Promise<void> {
  const user = await call({
    title: 'Who am I?',
    method: 'GET',
    path: '/user',
    expect: 200,
    show: ['userId', 'email', 'Workspace'],
  })
  const workspace = Array.isArray(user.Workspace) ? user.Workspace[0] : undefined
  expectThat(typeof workspace?.workspaceId === 'string', 'The owner should have a workspace.')

  const sourceUrl = `${providerUrl}/bundles/acme-desk/index.js`
  const definitionId = await runDefinitionSteps(call, sourceUrl)
  const linkId = await runInviteSteps(call, definitionId)
  const accountId = await runAccountSteps(call, {
    definitionId,
    workspaceId: workspace.workspaceId,
    baseUrl: providerUrl,
  })
  await deleteSteps(call, accountId)
  const linkedAccountId = await runLinkSteps(call, { linkId, definitionId, baseUrl: providerUrl })
  await runProxyStep(call, linkedAccountId)
}
