import type { AccountChange, AccountCredentials, CheckAccount, CheckAnswer, CreateAccount, CreateAccountThroughLink, DeleteAccountQuery, DeletedAccount, ImportAccount, IntegrationAccount, ListAccountsQuery, UpdateAccount } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Connected accounts. */
export declare class Accounts extends Group {
    /** Checks the credentials and stores them as a new account. */
    create(body: CreateAccount, options?: RequestOptions): Promise<IntegrationAccount>;
    /** Does the same through a link, within the limits of the link. */
    createThroughLink(linkId: string, body: CreateAccountThroughLink, options?: RequestOptions): Promise<IntegrationAccount>;
    /** Checks credentials without storing them. */
    check(body: CheckAccount, options?: RequestOptions): Promise<CheckAnswer>;
    /** Stores an account that another system has connected; at most one for each `externalId`. */
    import(body: ImportAccount, options?: RequestOptions): Promise<IntegrationAccount>;
    /** Returns an account; for a deleted one, its tombstone. */
    get(integrationAccountId: string, options?: RequestOptions): Promise<IntegrationAccount>;
    /** The accounts of a workspace, oldest first unless `order` says otherwise. */
    list(query?: ListAccountsQuery, options?: RequestOptions): List<IntegrationAccount>;
    /** Changes the name, the tags or the credentials. New credentials are checked first. */
    update(integrationAccountId: string, body?: UpdateAccount, options?: RequestOptions): Promise<IntegrationAccount>;
    /** Erases the configuration, revokes the tokens, and returns the tombstone. */
    delete(integrationAccountId: string, query?: DeleteAccountQuery, options?: RequestOptions): Promise<DeletedAccount>;
    /** The last 200 changes, newest first. */
    listHistory(integrationAccountId: string, options?: RequestOptions): List<AccountChange>;
    /** Returns live credentials. Requires the scope `credentials:read`; `account(id).fetch` needs no credentials. */
    getCredentials(integrationAccountId: string, options?: RequestOptions): Promise<AccountCredentials>;
}
