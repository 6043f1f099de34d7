import Type from 'typebox'
import { IdOf } from '../../platform/http/schema.ts'
import type { LinkId } from './link.ts'

/** The parameter of the paths of a link. */
export const LinkParams = Type.Object({
  linkId: IdOf<LinkId>({ description: 'Identifier of the link.' }),
})

/** The query parameter of links that are read. */
export const LinkAccountsQuery = {
  accounts: Type.Optional(
    Type.Boolean({
      description: 'False omits `IntegrationAccount` and `integrationAccounts`. Default: true.',
    }),
  ),
}
