import type {
  AccountChange,
  AccountCredentials,
  CheckAccount,
  CheckAnswer,
  CreateAccount,
  CreateAccountThroughLink,
  DeleteAccountQuery,
  DeletedAccount,
  ImportAccount,
  IntegrationAccount,
  ListAccountsQuery,
  UpdateAccount,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Connected accounts. */
export class Accounts extends Group {
  /** Checks the credentials and stores them as a new account. */
  create(body: CreateAccount, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/integration_account', body, options)
  }

  /** Does the same through a link, within the limits of the link. */
  createThroughLink(
    linkId: string,
    body: CreateAccountThroughLink,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/integration_account/link/${linkId}`, body, options)
  }

  /** Checks credentials without storing them. */
  check(body: CheckAccount, options?: RequestOptions): Promise<CheckAnswer> {
    return this.sendPost('/integration_account/check', body, options)
  }

  /** Stores an account that another system has connected; at most one for each `externalId`. */
  import(body: ImportAccount, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendPost('/integration_account/import', body, options)
  }

  /** Returns an account; for a deleted one, its tombstone. */
  get(integrationAccountId: string, options?: RequestOptions): Promise<IntegrationAccount> {
    return this.sendGet(path`/integration_account/${integrationAccountId}`, undefined, options)
  }

  /** The accounts of a workspace, oldest first unless `order` says otherwise. */
  list(query?: ListAccountsQuery, options?: RequestOptions): List<IntegrationAccount> {
    return this.listPages('/integration_account', query, options)
  }

  /** Changes the name, the tags or the credentials. New credentials are checked first. */
  update(
    integrationAccountId: string,
    body?: UpdateAccount,
    options?: RequestOptions,
  ): Promise<IntegrationAccount> {
    return this.sendPost(path`/integration_account/${integrationAccountId}`, body, options)
  }

  /** Erases the configuration, revokes the tokens, and returns the tombstone. */
  delete(
    integrationAccountId: string,
    query?: DeleteAccountQuery,
    options?: RequestOptions,
  ): Promise<DeletedAccount> {
    return this.sendDelete(path`/integration_account/${integrationAccountId}`, query, options)
  }

  /** The last 200 changes, newest first. */
  listHistory(integrationAccountId: string, options?: RequestOptions): List<AccountChange> {
    return this.listAll(
      path`/integration_account/${integrationAccountId}/history`,
      undefined,
      options,
    )
  }

  /** Returns live credentials. Requires the scope `credentials:read`; `account(id).fetch` needs no credentials. */
  getCredentials(
    integrationAccountId: string,
    options?: RequestOptions,
  ): Promise<AccountCredentials> {
    return this.sendGet(
      path`/integration_account/${integrationAccountId}/credentials`,
      undefined,
      options,
    )
  }
}
