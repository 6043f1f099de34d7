import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** The inputs of the steps. */
export interface LinkInput {
  readonly definitionId: string
  /** The provider's base URL, as the account's config has it. */
  readonly baseUrl: string
}

/** Creates a link, opens its page, adds an account through it and reads the link; resolves to the account's id. */
export async function runLinkSteps(call: CallApi, input: LinkInput): Promise<string> {
  const created = await call({
    title: 'Create a link through which a customer can connect this integration, valid for an hour',
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
  expectThat(created.canExpire === true, 'A link with expiresIn should have canExpire.')

  const page = await call({
    title: 'Open the link: the page that a customer sees',
    method: 'GET',
    path: `/link/${linkId}`,
    isPage: true,
    expect: 200,
  })
  expectThat(
    String(page.title).includes('Acme Desk'),
    `The title of the page should name Acme Desk: ${page.title}.`,
  )

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
  expectThat(account.linkId === linkId, 'The account should have the ID of its link.')

  const fetched = await call({
    title: 'Get the link, filtered by one customer',
    method: 'GET',
    path: `/link/${linkId}?accountIdentifier=customer-42`,
    expect: 200,
    show: ['linkId', 'expired', 'integrationAccounts', 'integrationDefinitions'],
  })
  expectThat(fetched.expired === false, 'The link should not have expired yet.')
  const accounts = Array.isArray(fetched.integrationAccounts) ? fetched.integrationAccounts : []
  expectThat(
    accounts.length === 1 && accounts[0].integrationAccountId === account.integrationAccountId,
    'The link should list the account that was created through it.',
  )
  return String(account.integrationAccountId)
}
