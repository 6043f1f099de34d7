import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** The inputs of the steps. */
export interface LinkInput {
  readonly linkId: string
  readonly definitionId: string
  /** The provider's base URL, as the account's config has it. */
  readonly baseUrl: string
}

/** Creates a link and invites one customer by a connect session; resolves to the link's id. */
export async function runInviteSteps(call: CallApi, definitionId: string): Promise<string> {
  const created = await call({
    title: 'Create a link: it says what may be connected, for an hour',
    method: 'POST',
    path: '/link',
    body: {
      linkName: 'Connect your desk',
      integrationDefinitionId: definitionId,
      expiresIn: 3600,
    },
    expect: 201,
    show: ['linkId', 'linkName', 'canExpire', 'expiresIn', 'IntegrationAccount'],
  })
  const linkId = String(created.linkId)
  expectThat(created.canExpire === true, 'A link with expiresIn should have canExpire.')

  await runSessionSteps(call, linkId)
  return linkId
}

/** Adds an account through the link and reads the link; resolves to the account's id. */
export async function runLinkSteps(call: CallApi, input: LinkInput): Promise<string> {
  const { linkId } = input
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

/** Creates a connect session for one customer and opens its page, which neither binds nor completes it. */
async function runSessionSteps(call: CallApi, linkId: string): Promise<void> {
  const session = await call({
    title: 'Invite one customer: create a connect session, whose URL is for them alone',
    method: 'POST',
    path: '/connect_session',
    body: { linkId, accountIdentifier: 'customer-41' },
    expect: 201,
    show: ['connectSessionId', 'status', 'accountIdentifier', 'expiresAt'],
  })
  await call({
    title: 'Open its URL: the page that this customer sees',
    method: 'GET',
    path: `/connect/${session.token}`,
    isPage: true,
    expect: 200,
  })
  const opened = await call({
    title: 'Get the session: opening the page has not spent it',
    method: 'GET',
    path: `/connect_session/${session.connectSessionId}`,
    expect: 200,
    show: ['connectSessionId', 'status', 'integrationAccountIds'],
  })
  expectThat(opened.status === 'created', 'Only the button of the page should bind the session.')
}
