import Type from 'typebox'
import type { DefinitionReference } from '../../integrations/definitions/definition.ts'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import { IdOf, StrictObject } from '../../platform/http/schema.ts'
import type { AccountId } from '../accounts/account.ts'
import {
  type ConnectionTarget,
  type RequestConnectionDeps,
  requestConnection,
} from '../agents/request-connection.ts'
import { defineTool } from './tool.ts'

export type ConnectAccountDeps = RequestConnectionDeps

export const connectAccountTool = defineTool({
  name: 'connect_account',
  description:
    'Asks the person to connect an account at another tool, or to reconnect one whose status is not active. Returns a url for them, then, called again with the same arguments, the accounts. Only if your session may.',
  annotations: { readOnlyHint: false },
  input: StrictObject({
    integration: Type.Optional(
      IdOf<DefinitionReference>({
        maxLength: 255,
        description: 'A tool by its key, such as jira.',
      }),
    ),
    account: Type.Optional(
      IdOf<AccountId>({ maxLength: 64, description: 'The account to reconnect.' }),
    ),
  }),
  async call(deps: ConnectAccountDeps, { caller }, { integration, account }) {
    if ((integration === undefined) === (account === undefined))
      throw validationFailed(
        fieldError('integration', 'required', 'Name an integration or an account, not both.'),
        'The arguments are',
      )
    const target: ConnectionTarget =
      account === undefined ? { integration: integration as DefinitionReference } : { account }
    const state = await requestConnection(deps, caller, target)
    return state.status === 'waiting' ? { ...state, message: WAITING } : state
  },
})

const WAITING =
  'Give the url to the person you work for: it works for no one else, and for ten minutes. Afterwards call this tool again with the same arguments.'
