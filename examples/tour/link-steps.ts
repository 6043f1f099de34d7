import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** What the steps need of the world. */
export interface LinkInput {
  readonly definitionId: string
  /** The provider, as the integration is told it. */
  readonly baseUrl: string
}

/** Creates a link, adds an account through it and reads the link with that account. */
export async function linkSteps(call: CallApi, input: LinkInput): Promise<void> {
  const created = await call({
    title: 'Create a link that lets a customer connect this integration, for an hour',
    method: 'POST',
    path: '/link',
    body: {
      linkName: 'Connect your desk',
      integrationDefinitionId: input.definitionId,
      expiresIn: 3600,
    },
    expect: 201,
    show: ['linkId', 'linkName', 'canExpire', 'expiresIn', 'IntegrationAccount'],
  })
  const linkId = String(created.linkId)
  expectThat(created.canExpire === true, 'A link with expiresIn should be one that can expire.')

  const account = await call({
    title: 'Create an account through the link',
    method: 'POST',
    path: `/integration_account/link/${linkId}`,
    body: {
      integrationDefinitionId: input.definitionId,
      integrationAccountName: 'Desk of East',
      authType: 'Api Key',
      config: { api_key: 'desk_live_2', base_url: input.baseUrl },
      accountIdentifier: 'customer-42',
    },
    expect: 201,
    show: ['integrationAccountId', 'accountIdentifier', 'linkId'],
  })
  expectThat(account.linkId === linkId, 'The account should name the link that it came through.')

  const fetched = await call({
    title: 'Get the link, narrowed to one customer',
    method: 'GET',
    path: `/link/${linkId}?accountIdentifier=customer-42`,
    expect: 200,
    show: ['linkId', 'expired', 'integrationAccounts', 'integrationDefinitions'],
  })
  expectThat(fetched.expired === false, 'The link should not be expired yet.')
  const accounts = Array.isArray(fetched.integrationAccounts) ? fetched.integrationAccounts : []
  expectThat(
    accounts.length === 1 && accounts[0].integrationAccountId === account.integrationAccountId,
    'The link should show the account that came through it.',
  )
}
