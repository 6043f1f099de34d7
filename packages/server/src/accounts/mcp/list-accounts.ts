import Type from 'typebox'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { isId } from '../../platform/storage/id.ts'
import type { AccountId } from '../accounts/account.ts'
import type { SessionAccountStore } from './session-account-store.ts'
import { defineTool } from './tool.ts'

export interface ListAccountsDeps {
  readonly sessionAccounts: SessionAccountStore
}

const PAGE = 25

export const listAccountsTool = defineTool({
  name: 'list_accounts',
  description:
    'Lists the accounts at other tools, such as a CRM, that you can use: id, tool, name, identity (who connected it) and status. Only active ones work. Call this first.',
  annotations: { readOnlyHint: true },
  input: StrictObject({
    cursor: Type.Optional(
      Type.String({ maxLength: 64, description: 'nextCursor of the previous page.' }),
    ),
  }),
  async call({ sessionAccounts }: ListAccountsDeps, { caller }, { cursor }) {
    if (cursor !== undefined && !isId('acc', cursor))
      throw validationFailed(fieldError('cursor', 'invalid', 'Must be nextCursor of a page.'))
    const all = [...(caller.accountIds ?? [])].sort() as AccountId[]
    const rest = cursor === undefined ? all : all.filter((accountId) => accountId > cursor)
    const page = rest.slice(0, PAGE)
    const accounts = page.length === 0 ? [] : await sessionAccounts.list(caller, page)
    return { accounts, ...(rest.length > PAGE && { nextCursor: page.at(-1) }) }
  },
})
